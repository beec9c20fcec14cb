import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.AbstractMongoBackend;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.util.List;

/**
 * Arguments: port, after an address and a colon if it is not 127.0.0.1; and the path of an H2 file for data that
 * outlives the process (in memory without it).
 */
public final class MongoServerMain {
    /** MongoDB 5.0 as its drivers know it; the library's own 5.0 reports a wire version that they refuse. */
    private record Reported(List<Integer> getVersionArray, int getWireVersion) implements MongoVersion {}

    public static void main(String[] args) {
        AbstractMongoBackend backend = args.length > 1 ? new H2Backend(args[1]) : new MemoryBackend();
        backend.version(new Reported(List.of(5, 0, 0), 13));
        MongoServer server = new MongoServer(backend);
        int colon = args[0].lastIndexOf(':');
        String address = colon < 0 ? "127.0.0.1" : args[0].substring(0, colon);
        server.bind(address, Integer.parseInt(args[0].substring(colon + 1)));
        Runtime.getRuntime().addShutdownHook(new Thread(server::shutdownNow));
    }
}
