/** An import of `node:http` would read its `WebSocket` too, which loads all of undici: 13 MB and a sixth of the start. */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http')
