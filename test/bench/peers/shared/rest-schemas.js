const id = { type: 'integer' };
const status = { type: 'string', enum: ['available', 'pending', 'sold'] };
const shipDate = { type: 'string', format: 'date-time' };
const complete = { type: 'boolean' };

const Pet = { type: 'object', properties: { id, name: { type: 'string' }, categoryId: id, status } };
const Order = {
  type: 'object',
  properties: { id, petId: id, quantity: { type: 'integer' }, shipDate, complete },
};
const Failure = {
  type: 'object',
  properties: { code: { type: 'string' }, message: { type: 'string' }, status: { type: 'integer' } },
};
const failures = { '4xx': Failure, '5xx': Failure };

export const getPet = {
  params: { type: 'object', properties: { petId: id } },
  response: { 200: Pet, ...failures },
};

const name = { type: 'string', minLength: 1, maxLength: 200 };

export const createPet = {
  body: {
    type: 'object',
    required: ['name', 'categoryId'],
    additionalProperties: false,
    properties: { name, categoryId: id, status: { ...status, default: 'available' } },
  },
  response: { 201: Pet, ...failures },
};

export const updatePet = {
  params: getPet.params,
  body: { type: 'object', additionalProperties: false, properties: { name, categoryId: id, status } },
  response: { 200: Pet, ...failures },
};

export const listOrders = {
  querystring: {
    type: 'object',
    properties: {
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
      after: { type: 'string' },
    },
  },
  response: { 200: { type: 'array', items: Order }, ...failures },
};

export const placeOrder = {
  body: {
    type: 'object',
    required: ['petId'],
    additionalProperties: false,
    properties: {
      petId: id,
      quantity: { type: 'integer', minimum: 1, maximum: 2_147_483_647, default: 1 },
      shipDate,
      complete: { ...complete, default: false },
    },
  },
  response: { 201: Order, ...failures },
};
