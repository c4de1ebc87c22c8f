// Fastify with response schemas, over postgres.js with prepared statements: written by hand, as in its documentation.
import Fastify from 'fastify';
import { isUnknownReference } from './shared/database.js';
import { OutOfStock, ordersAfter, placeOrder } from './shared/orders.js';
import { createPet, petById, updatePet } from './shared/pets.js';
import { ADDRESS, announce } from './shared/process.js';
import * as schemas from './shared/rest-schemas.js';

const app = Fastify();

app.get('/pets/:petId', { schema: schemas.getPet }, async ({ params: { petId } }, reply) => {
  const pet = await petById(petId);
  if (pet === undefined) return fail(reply, 404, 'NOT_FOUND', `No pet has the id ${petId}.`);
  return pet;
});

app.post('/pets', { schema: schemas.createPet }, async (request, reply) => {
  const pet = await createPet(request.body);
  reply.code(201).header('location', `${origin(request)}/pets/${pet.id}`);
  return pet;
});

app.patch('/pets/:petId', { schema: schemas.updatePet }, async ({ params: { petId }, body }, reply) => {
  const pet = await updatePet(petId, body);
  if (pet === undefined) return fail(reply, 404, 'NOT_FOUND', `No pet has the id ${petId}.`);
  return pet;
});

app.get('/store/orders', { schema: schemas.listOrders }, async (request, reply) => {
  const { limit } = request.query;
  const { orders, next } = await ordersAfter(request.query);
  if (next !== undefined) {
    reply.header('link', `<${origin(request)}/store/orders?limit=${limit}&after=${next}>; rel="next"`);
  }
  return orders;
});

app.post('/store/orders', { schema: schemas.placeOrder }, async (request, reply) => {
  const order = await placeOrder(request.body);
  reply.code(201).header('location', `${origin(request)}/store/orders/${order.id}`);
  return order;
});

app.setNotFoundHandler(({ url }, reply) => fail(reply, 404, 'NOT_FOUND', `There is nothing at ${url}.`));

app.setErrorHandler((error, _request, reply) => {
  if (error.validationContext === 'body') return fail(reply, 422, 'VALIDATION_FAILED', error.message);
  if (error.validation || error.statusCode < 500) return fail(reply, 400, 'INVALID_ARGUMENT', error.message);
  if (isUnknownReference(error)) return fail(reply, 422, 'UNKNOWN_REFERENCE', error.detail);
  if (error instanceof OutOfStock) return fail(reply, 409, 'OUT_OF_STOCK', error.message);
  return fail(reply, 500, 'INTERNAL', 'Something went wrong.');
});

await app.listen(ADDRESS);
announce(app.server);

function origin({ protocol, host }) {
  return `${protocol}://${host}`;
}

function fail(reply, status, code, message) {
  return reply.code(status).send({ code, message, status });
}
