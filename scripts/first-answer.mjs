/**
 * Asks until something answers, for at most half a minute.
 *
 * @param {string} address
 * @returns {Promise<Response>}
 */
export async function firstAnswer(address) {
  for (let tries = 0; tries < 120; tries++) {
    const response = await fetch(address).catch(() => undefined)
    if (response) return response
    await new Promise((done) => setTimeout(done, 250))
  }
  throw new Error(`${address} did not answer`)
}
