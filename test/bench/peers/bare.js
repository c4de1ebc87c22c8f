// The limit: only node:http, with the same pet in every response.
import { createServer } from 'node:http';
import { ADDRESS, announce } from './shared/process.js';

const body = Buffer.from(JSON.stringify({ id: 12, name: 'Rex', categoryId: 1, status: 'available' }));

const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
});
server.listen(ADDRESS, () => announce(server));
