/** An HTTP/2 server that only answers each request with an empty gRPC message: the cost of Node alone. */
import { createServer } from 'node:http2';

const server = createServer();
server.on('stream', (stream) => {
  const headers = { ':status': 200, 'content-type': 'application/grpc' };
  stream.respond(headers, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.resume();
  stream.end(Buffer.alloc(5));
});
server.listen(Number(process.argv[2]), '127.0.0.1');
