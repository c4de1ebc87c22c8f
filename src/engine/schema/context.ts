/** The context of resolvers. Each resource adds its store, so that this file need not know the resources. */
// biome-ignore lint/suspicious/noEmptyInterface: the resources add to it.
export interface Context {}
