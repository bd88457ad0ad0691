import { spawn } from 'node:child_process'

/**
 * Starts an app with the Node that runs this, prints its first answer, and stops it. Anything but 200 is a failure of this process.
 *
 * @param {string} file Of the app, from `cwd`.
 * @param {{ readonly cwd: string, readonly port: number }} options
 */
export async function tryApp(file, { cwd, port }) {
  const app = spawn(process.execPath, [file], { cwd, env: { ...process.env, PORT: `${port}` }, stdio: 'inherit' })
  try {
    const { status, url } = await firstAnswer(`http://localhost:${port}/`)
    console.log(`Node ${process.version}: ${status} ${url}`)
    if (status !== 200) process.exitCode = 1
  } finally {
    app.kill()
  }
}

/**
 * Asks until something answers, for at most half a minute.
 *
 * @param {string} address
 * @returns {Promise<Response>}
 */
async function firstAnswer(address) {
  for (let tries = 0; tries < 120; tries++) {
    const response = await fetch(address).catch(() => undefined)
    if (response) return response
    await new Promise((done) => setTimeout(done, 250))
  }
  throw new Error(`${address} did not answer`)
}
