// The minimum: node:http, the header fields of the service, and batched reads of pets. It has two paths, checks no
// input, and has no GraphQL, no limits, no log and no metrics.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { batched } from './shared/batched.js';
import { petsByIds } from './shared/pets.js';
import { ADDRESS, announce } from './shared/process.js';

const petById = batched(petsByIds);

const server = createServer((request, response) => {
  if (request.method === 'GET') answerPet(response, Number(request.url.slice('/pets/'.length)), (pet) => pet);
  else {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.once('end', () => {
      const { variables } = JSON.parse(Buffer.concat(chunks));
      answerPet(response, variables.petId, (pet) => ({ data: { pet } }));
    });
  }
});
server.listen(ADDRESS, () => announce(server));

async function answerPet(response, id, toBody) {
  const pet = Number.isSafeInteger(id) ? await petById(id) : undefined;
  const status = pet !== undefined ? 200 : Number.isSafeInteger(id) ? 404 : 400;
  const body = JSON.stringify(pet === undefined ? { status } : toBody(pet));
  response.writeHead(status, headers(id, body));
  response.end(body);
}

/** As many and as long as those of the service, whose operation is deprecated. */
function headers(id, body) {
  return [
    ...['api-stability', 'deprecated', 'deprecation', '@1782864000', 'sunset', 'Fri, 31 Dec 2027 23:59:59 GMT'],
    ...['warning', '299 - "GET /pets/{petId} is deprecated since 2026-07-01 and served until 2027-12-31"'],
    ...[
      'link',
      `<http://127.0.0.1/pets?id=${id}>; rel="successor-version", <http://127.0.0.1/lifecycle>; rel="sunset"`,
    ],
    ...['etag', '"1"', 'cache-control', 'no-cache', 'x-content-type-options', 'nosniff'],
    ...['content-type', 'application/json', 'content-length', Buffer.byteLength(body), 'x-request-id', randomUUID()],
    ...['vary', 'Origin'],
  ];
}
