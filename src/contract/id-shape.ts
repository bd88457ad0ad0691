/** The shape of an id. Apart from its schema, because browsers check addresses without one. */
export const idShape = /^[0-9a-f]{40}$/
