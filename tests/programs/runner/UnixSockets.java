import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import javax.net.SocketFactory;

/**
 * Sockets of the driver that lead to the Unix socket of the factory's argument, whatever address
 * they are told: the server need not listen on any network.
 */
public final class UnixSockets extends SocketFactory {

    private final String path;

    public UnixSockets(String path) {
        this.path = path;
    }

    @Override
    public Socket createSocket() throws IOException {
        return new UnixSocket(SocketChannel.open(UnixDomainSocketAddress.of(path)));
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return createSocket();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort)
            throws IOException {
        return createSocket();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return createSocket();
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort)
            throws IOException {
        return createSocket();
    }

    /** A connected socket; options of TCP mean nothing to it. */
    private static final class UnixSocket extends Socket {

        private final SocketChannel channel;

        UnixSocket(SocketChannel channel) {
            this.channel = channel;
        }

        @Override
        public void connect(SocketAddress address, int timeout) {
        }

        @Override
        public boolean isConnected() {
            return true;
        }

        @Override
        public boolean isClosed() {
            return !channel.isOpen();
        }

        @Override
        public void setTcpNoDelay(boolean on) {
        }

        @Override
        public void setKeepAlive(boolean on) {
        }

        @Override
        public void setSoTimeout(int timeout) {
        }

        @Override
        public int getSoTimeout() {
            return 0;
        }

        @Override
        public int getSendBufferSize() {
            return 8192;
        }

        @Override
        public InputStream getInputStream() {
            return new InputStream() {
                @Override
                public int read() throws IOException {
                    byte[] one = new byte[1];
                    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
                }

                @Override
                public int read(byte[] bytes, int offset, int length) throws IOException {
                    return length == 0 ? 0 : channel.read(ByteBuffer.wrap(bytes, offset, length));
                }
            };
        }

        @Override
        public OutputStream getOutputStream() {
            return new OutputStream() {
                @Override
                public void write(int value) throws IOException {
                    write(new byte[] {(byte) value}, 0, 1);
                }

                @Override
                public void write(byte[] bytes, int offset, int length) throws IOException {
                    ByteBuffer rest = ByteBuffer.wrap(bytes, offset, length);
                    while (rest.hasRemaining()) {
                        channel.write(rest);
                    }
                }
            };
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
