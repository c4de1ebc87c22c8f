import { NOWHERE } from './worlds.ts';

export type Values = Readonly<Record<string, unknown>>;

/** A change that is rejected in both worlds. */
interface Rejection {
  readonly code: string;
  readonly variables: Values;
  /** The message to a caller that may read, in each world, if it names stored values. */
  readonly detailedMessage?: readonly [string, string];
}

/** The test cases of a mutation: a change that succeeds in both worlds with the same row, and the rejections. */
interface Cases {
  readonly succeeds: Values;
  readonly rejected: readonly Rejection[];
  /** Codes of its route that depend on no row. */
  readonly ofNoRow?: readonly string[];
}

const pet = { name: 'New', categoryId: 101 };
const noCategory = { name: 'New', categoryId: NOWHERE };
const category = { name: 'New' };
const OTHER_VERSION = [1];

/** The messages for the two versions of a row. */
function versions(what: string, one: number, other: number, wanted = '1') {
  const message = (version: number) =>
    `${what} has version ${version}; the expected version is ${wanted}. Read it again before you change it.`;
  return [message(one), message(other)] as const;
}

/** The cases by mutation. */
export const cases: Readonly<Record<string, Cases>> = {
  createPet: {
    succeeds: { pet },
    rejected: [{ code: 'UNKNOWN_REFERENCE', variables: { pet: noCategory } }],
  },
  replacePet: {
    succeeds: { petId: 206, pet },
    rejected: [
      { code: 'NOT_FOUND', variables: { petId: NOWHERE, pet } },
      { code: 'UNKNOWN_REFERENCE', variables: { petId: 201, pet: noCategory } },
      {
        code: 'PRECONDITION_FAILED',
        variables: { petId: 201, pet, expectedVersion: OTHER_VERSION },
        detailedMessage: versions('Pet 201', 4, 9),
      },
    ],
  },
  updatePet: {
    succeeds: { petId: 206, changes: { name: 'New' } },
    rejected: [
      { code: 'NOT_FOUND', variables: { petId: NOWHERE, changes: {} } },
      { code: 'UNKNOWN_REFERENCE', variables: { petId: 201, changes: { categoryId: NOWHERE } } },
      {
        code: 'PRECONDITION_FAILED',
        variables: { petId: 201, changes: {}, expectedVersion: [] },
        detailedMessage: versions('Pet 201', 4, 9, 'another'),
      },
    ],
  },
  deletePet: {
    succeeds: { petId: 206 },
    rejected: [
      { code: 'NOT_FOUND', variables: { petId: NOWHERE } },
      { code: 'CONFLICT', variables: { petId: 202 } },
      {
        code: 'PRECONDITION_FAILED',
        variables: { petId: 201, expectedVersion: OTHER_VERSION },
        detailedMessage: versions('Pet 201', 4, 9),
      },
    ],
  },
  createCategory: { succeeds: { category }, rejected: [] },
  replaceCategory: {
    succeeds: { categoryId: 102, category },
    rejected: [
      { code: 'NOT_FOUND', variables: { categoryId: NOWHERE, category } },
      {
        code: 'PRECONDITION_FAILED',
        variables: { categoryId: 101, category, expectedVersion: OTHER_VERSION },
        detailedMessage: versions('Category 101', 3, 8),
      },
    ],
  },
  updateCategory: {
    succeeds: { categoryId: 102, changes: { name: 'New' } },
    rejected: [
      { code: 'NOT_FOUND', variables: { categoryId: NOWHERE, changes: {} } },
      {
        code: 'PRECONDITION_FAILED',
        variables: { categoryId: 101, changes: {}, expectedVersion: OTHER_VERSION },
        detailedMessage: versions('Category 101', 3, 8),
      },
    ],
  },
  deleteCategory: {
    succeeds: { categoryId: 102 },
    rejected: [
      { code: 'NOT_FOUND', variables: { categoryId: NOWHERE } },
      { code: 'CONFLICT', variables: { categoryId: 101 } },
      {
        code: 'PRECONDITION_FAILED',
        variables: { categoryId: 101, expectedVersion: OTHER_VERSION },
        detailedMessage: versions('Category 101', 3, 8),
      },
    ],
  },
  replaceStock: {
    succeeds: { petId: 208, update: { quantity: 7 } },
    rejected: [
      { code: 'NOT_FOUND', variables: { petId: NOWHERE, update: { quantity: 7 } } },
      {
        code: 'PRECONDITION_FAILED',
        variables: { petId: 201, update: { quantity: 7 }, expectedVersion: OTHER_VERSION },
        detailedMessage: versions('The inventory entry of pet 201', 7, 14),
      },
      {
        // Stock is counted in one world only.
        code: 'PRECONDITION_FAILED',
        variables: { petId: 204, update: { quantity: 7 }, expectedVersion: OTHER_VERSION },
        detailedMessage: [
          'The inventory entry of pet 204 does not exist, so it has no version. Read it again before you change it.',
          versions('The inventory entry of pet 204', 0, 9)[1],
        ],
      },
      {
        // The precondition asks for stock that is not counted yet.
        code: 'PRECONDITION_FAILED',
        variables: { petId: 201, update: { quantity: 7 }, expectedVersion: [0] },
        detailedMessage: [7, 14].map(
          (version) =>
            `The inventory entry of pet 201 already exists, with version ${version}; it must not exist. Read it again before you change it.`,
        ) as [string, string],
      },
      {
        code: 'VALIDATION_FAILED',
        variables: { petId: 202, update: { quantity: 7 }, status: 'available' },
        detailedMessage: ['sold', 'pending'].map(
          (status) => `status is read-only: it must be ${status}, its current value, or be left out.`,
        ) as [string, string],
      },
    ],
  },
  stopTracking: {
    succeeds: { petId: 208 },
    rejected: [
      { code: 'NOT_FOUND', variables: { petId: NOWHERE } },
      // The pet exists in one world only, and is counted in neither.
      { code: 'NOT_FOUND', variables: { petId: 205 } },
      {
        code: 'PRECONDITION_FAILED',
        variables: { petId: 201, expectedVersion: OTHER_VERSION },
        detailedMessage: versions('The inventory entry of pet 201', 7, 14),
      },
    ],
  },
  createWebhook: {
    succeeds: { webhook: { url: 'https://shop.example/' } },
    rejected: [],
    ofNoRow: ['CONFLICT', 'NOT_FOUND'],
  },
  updateWebhook: {
    succeeds: { webhookId: 402, changes: { enabled: false } },
    rejected: [
      { code: 'NOT_FOUND', variables: { webhookId: NOWHERE, changes: {} } },
      {
        code: 'PRECONDITION_FAILED',
        variables: { webhookId: 401, changes: {}, expectedVersion: OTHER_VERSION },
        detailedMessage: versions('Webhook 401', 3, 8),
      },
    ],
  },
  deleteWebhook: {
    succeeds: { webhookId: 402 },
    rejected: [
      { code: 'NOT_FOUND', variables: { webhookId: NOWHERE } },
      {
        code: 'PRECONDITION_FAILED',
        variables: { webhookId: 401, expectedVersion: OTHER_VERSION },
        detailedMessage: versions('Webhook 401', 3, 8),
      },
    ],
  },
  rotateWebhookSecret: {
    succeeds: { webhookId: 402 },
    rejected: [{ code: 'NOT_FOUND', variables: { webhookId: NOWHERE } }],
  },
  redeliverEvents: {
    succeeds: { webhookId: 402, after: 'now' },
    rejected: [
      { code: 'NOT_FOUND', variables: { webhookId: NOWHERE, after: 'now' } },
      {
        code: 'GONE',
        variables: { webhookId: 401, after: '9.1' },
      },
    ],
  },
  placeOrder: {
    succeeds: { order: { petId: 207, quantity: 2 } },
    rejected: [
      { code: 'UNKNOWN_REFERENCE', variables: { order: { petId: NOWHERE } } },
      {
        code: 'OUT_OF_STOCK',
        variables: { order: { petId: 201, quantity: 3 } },
        detailedMessage: ['Pet 201 has 2 in stock; the quantity is 3.', 'Pet 201 has 1 in stock; the quantity is 3.'],
      },
      {
        code: 'NOT_AVAILABLE',
        variables: { order: { petId: 202 } },
        detailedMessage: ['sold', 'pending'].map(
          (status) => `Pet 202 is ${status}; only pets with the status available can be ordered.`,
        ) as [string, string],
      },
    ],
  },
  updateOrder: {
    succeeds: { orderId: 304, changes: { quantity: 3 } },
    rejected: [
      { code: 'NOT_FOUND', variables: { orderId: NOWHERE, changes: {} } },
      { code: 'ORDER_COMPLETE', variables: { orderId: 302, changes: { quantity: 9 } } },
      // The stock would exceed its maximum.
      { code: 'CONFLICT', variables: { orderId: 303, changes: { quantity: 1 } } },
      {
        code: 'PRECONDITION_FAILED',
        variables: { orderId: 301, changes: {}, expectedVersion: OTHER_VERSION },
        detailedMessage: versions('Order 301', 3, 6),
      },
      {
        code: 'OUT_OF_STOCK',
        variables: { orderId: 301, changes: { quantity: 50 } },
        detailedMessage: [
          'Pet 201 has 2 in stock, besides the 1 of this order; the quantity is 50.',
          'Pet 202 has 7 in stock, besides the 2 of this order; the quantity is 50.',
        ],
      },
    ],
  },
  cancelOrder: {
    succeeds: { orderId: 304 },
    rejected: [
      { code: 'NOT_FOUND', variables: { orderId: NOWHERE } },
      { code: 'ORDER_COMPLETE', variables: { orderId: 302 } },
      { code: 'CONFLICT', variables: { orderId: 303 } },
      {
        code: 'PRECONDITION_FAILED',
        variables: { orderId: 301, expectedVersion: OTHER_VERSION },
        detailedMessage: versions('Order 301', 3, 6),
      },
    ],
  },
};
