import type { ErrorKind } from '../engine/index.ts';

export const OUT_OF_STOCK: ErrorKind = { code: 'OUT_OF_STOCK', status: 409, title: 'Out of stock' };

export const NOT_AVAILABLE: ErrorKind = { code: 'NOT_AVAILABLE', status: 409, title: 'The pet is not available' };

export const ORDER_COMPLETE: ErrorKind = { code: 'ORDER_COMPLETE', status: 409, title: 'The order is complete' };
