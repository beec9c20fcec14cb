import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.AbstractMongoBackend;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.util.List;

/** Arguments: port, and the path of an H2 file for data that outlives the process (in memory without it). */
public final class MongoServerMain {
    /** MongoDB 5.0 as its drivers know it; the library's own 5.0 reports a wire version that they refuse. */
    private record Reported(List<Integer> getVersionArray, int getWireVersion) implements MongoVersion {}

    public static void main(String[] args) {
        AbstractMongoBackend backend = args.length > 1 ? new H2Backend(args[1]) : new MemoryBackend();
        backend.version(new Reported(List.of(5, 0, 0), 13));
        MongoServer server = new MongoServer(backend);
        server.bind("127.0.0.1", Integer.parseInt(args[0]));
        Runtime.getRuntime().addShutdownHook(new Thread(server::shutdownNow));
    }
}
