import { connection } from 'next/server'
import { verifiedMfa } from 'second-factor'

/**
 * For pages, server actions and route handlers: when and how the second step was passed. Throws where it was not, or not as `options`
 * require. It reads the request that the server has checked, and no header, which a caller could send.
 */
export async function secondStep(options) {
  await connection() // What calls this cannot be rendered ahead.
  return verifiedMfa(globalThis.requests.getStore(), options)
}
