/** What a resolver is given. Each room adds its store, so that this file need not know the rooms. */
// biome-ignore lint/suspicious/noEmptyInterface: the rooms add to it.
export interface Context {}
