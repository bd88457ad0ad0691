import { spawn } from 'node:child_process'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

export interface WebServer {
  close(): Promise<void>
}

/** Starts a program, and waits until it listens. @throws {Error} if it ends before, or takes more than 20 seconds. */
export async function startWebServer(
  port: number,
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<WebServer> {
  const child = spawn(program, [...args], { stdio: 'inherit', env: { ...process.env, ...env } })
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()))
  const close = async () => {
    child.kill('SIGTERM')
    await ended
  }
  for (const end = Date.now() + 20_000; Date.now() < end && child.exitCode === null; await pause(50)) {
    if (await listens(port)) return { close }
  }
  await close()
  throw new Error(`${program} did not start`)
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true))
    socket.on('error', () => resolve(false))
    socket.on('close', () => socket.destroy())
    socket.on('connect', () => socket.end())
  })
