import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.AbstractMongoBackend;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.bson.Document;
import io.netty.channel.Channel;
import java.util.List;
import org.h2.mvstore.MVStore;

/**
 * Arguments: port, after an address and a colon if it is not 127.0.0.1; and the path of an H2 file for data that
 * outlives the process (in memory without it).
 */
public final class MongoServerMain {
    /** MongoDB 5.0 as its drivers know it; the library's own 5.0 reports a wire version that they refuse. */
    private record Reported(List<Integer> getVersionArray, int getWireVersion) implements MongoVersion {}

    /**
     * A file that has each write before its answer leaves, as MongoDB's journal does: a kill loses nothing that was
     * acknowledged. It never has half a command, because nothing else writes: the store's own commits, once a second and
     * where its memory is full, are off.
     */
    private static final class Committed extends H2Backend {
        /** The store keeps old chunks until it is compacted, which its own commits would do. */
        private static final int COMPACT_EVERY = 2_000;
        private static final int FILL_PERCENT = 50;
        private static final int COMPACT_BYTES = 16 * 1024 * 1024;

        private int commits;

        Committed(String file) {
            super(new MVStore.Builder().fileName(file).autoCommitDisabled().autoCommitBufferSize(0).open());
        }

        @Override
        public Document handleCommand(Channel channel, String database, String command, Document query) {
            try {
                return super.handleCommand(channel, database, command, query);
            } finally {
                commitChanges();
            }
        }

        private synchronized void commitChanges() {
            MVStore store = getMvStore();
            if (!store.hasUnsavedChanges()) return;
            store.commit();
            if (++commits % COMPACT_EVERY == 0) store.compact(FILL_PERCENT, COMPACT_BYTES);
        }
    }

    public static void main(String[] args) {
        AbstractMongoBackend backend = args.length > 1 ? new Committed(args[1]) : new MemoryBackend();
        backend.version(new Reported(List.of(5, 0, 0), 13));
        MongoServer server = new MongoServer(backend);
        int colon = args[0].lastIndexOf(':');
        String address = colon < 0 ? "127.0.0.1" : args[0].substring(0, colon);
        server.bind(address, Integer.parseInt(args[0].substring(colon + 1)));
        Runtime.getRuntime().addShutdownHook(new Thread(server::shutdownNow));
    }
}
