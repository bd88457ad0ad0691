import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../bin/second-factor.js', import.meta.url))

/** A service that was started on the held socket. */
export interface Activated {
  /** Resolves as soon as what it printed matches; rejects when it ends before. */
  readonly printed: (pattern: RegExp) => Promise<string>
  readonly signal: (name: NodeJS.Signals) => void
  /** Its exit code. */
  readonly ended: Promise<number>
}

/** Holds a listening socket and starts services on it, as systemd does: they come and go, and it stays open. */
export interface SocketHolder {
  readonly port: number
  /** Starts `second-factor serve …`. @param env shell words before it; LISTEN_PID and LISTEN_FDS by default. */
  readonly start: (args: readonly string[], env?: string) => Activated
  readonly close: () => void
}

/** What systemd sets: LISTEN_PID is the process itself, which `exec` keeps. */
const activation = 'LISTEN_PID=$$ LISTEN_FDS=1'

/**
 * A shell has the socket as its file descriptor 3: unlike a server of this process, it never accepts a connection. It runs
 * one line after the other that it is given, each in the background.
 */
export async function holdSocket(): Promise<SocketHolder> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const { _handle: handle } = server as unknown as { readonly _handle: { readonly fd: number } }
  const shell = spawn('sh', ['-c', 'while read -r line; do eval "$line" & done'], {
    stdio: ['pipe', 'pipe', 'inherit', handle.fd],
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  })
  const [stdin, stdout] = pipesOf(shell)
  server.close()
  await once(server, 'close')
  let count = 0
  const output = new Map<string, string>()
  const listeners = new Set<() => void>()
  let rest = ''
  stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const [, name = '', lineText = ''] = /^(\d+) (.*)$/.exec(line) ?? []
      output.set(name, `${output.get(name) ?? ''}${lineText}\n`)
    }
    for (const listener of listeners) listener()
  })

  function start(args: readonly string[], env = activation): Activated {
    count += 1
    const name = String(count)
    const inner = `echo pid $$; ${env} exec "${process.execPath}" "${program}" ${args.join(' ')}`
    stdin.write(`(sh -c '${inner}' 2>&1; echo "exit $?") | sed -u "s/^/${name} /"\n`)
    const printed = (pattern: RegExp) =>
      new Promise<string>((resolve, reject) => {
        const check = () => {
          const text = output.get(name) ?? ''
          if (!pattern.test(text) && !/^exit \d+$/m.test(text)) return
          listeners.delete(check)
          if (pattern.test(text)) resolve(text)
          else reject(new Error(`ended without ${pattern}: ${text}`))
        }
        listeners.add(check)
        check()
      })
    return {
      printed,
      signal: (signal) => process.kill(pidOf(name), signal),
      ended: printed(/^exit \d+$/m).then((text) => Number(/^exit (\d+)$/m.exec(text)?.[1])),
    }
  }

  const pidOf = (name: string) => Number(/^pid (\d+)$/m.exec(output.get(name) ?? '')?.[1])

  return {
    port,
    start,
    close() {
      for (const [name, text] of output) if (!/^exit \d+$/m.test(text)) process.kill(pidOf(name), 'SIGKILL')
      stdin.end()
      shell.kill()
    },
  }
}

function pipesOf({ stdin, stdout }: ChildProcess) {
  if (!stdin || !stdout) throw new Error('The shell has no pipes.')
  return [stdin, stdout] as const
}
