import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

/** What systemd does with the two units of the page, and no more: it holds the socket, and runs the service on it. */
export interface Units {
  readonly start: () => Promise<void>
  /** SIGTERM, and waits for the end. Rejects when the service does not end with 0. */
  readonly stop: () => Promise<void>
  /** The socket stays open. */
  readonly restart: () => Promise<void>
  readonly signal: (name: NodeJS.Signals) => void
  /** Resolves as soon as the service has logged it. */
  readonly logged: (pattern: RegExp) => Promise<void>
  /** What the service logged, as `journalctl --output=cat` shows it. */
  readonly journal: () => string
  readonly kill: () => void
}

/** @param folder The machine's `/etc/systemd/system`. */
export function manageUnits(folder: string): Units {
  let holder: Holder | undefined
  let journal = ''
  let begin = 0
  let onHeard = () => {}

  const printed = (pattern: RegExp) =>
    new Promise<void>((resolve, reject) => {
      onHeard = () => {
        const output = journal.slice(begin)
        if (pattern.test(output)) resolve()
        else if (/^exited \d+$/m.test(output)) reject(new Error(`the service ended: ${output}`))
      }
      onHeard()
    })

  async function start(): Promise<void> {
    holder ??= await holdSocket(directive(readUnit(folder, 'second-factor.socket'), 'ListenStream'), (text) => {
      journal += text
      onHeard()
    })
    const unit = readUnit(folder, 'second-factor.service')
    const settings = readEnvironment(directive(unit, 'EnvironmentFile'))
    const command = directive(unit, 'ExecStart').replace('$SERVE_OPTIONS', settings['SERVE_OPTIONS'] ?? '')
    const workingDirectory = directive(unit, 'WorkingDirectory')
    mkdirSync(workingDirectory, { recursive: true })
    begin = journal.length
    holder.run(
      `cd "${workingDirectory}" && exec env -i PATH="$PATH" LISTEN_PID=$$ LISTEN_FDS=1 ${words(settings)} ${command}`,
    )
    await printed(/listens on/)
  }

  const signal = (name: NodeJS.Signals) => process.kill(Number(/^pid (\d+)$/m.exec(journal.slice(begin))?.[1]), name)

  async function end(): Promise<void> {
    signal('SIGTERM')
    await printed(/^exited 0$/m)
  }

  return {
    start,
    async stop() {
      await end()
      holder?.close()
      holder = undefined
    },
    async restart() {
      await end()
      await start()
    },
    signal,
    logged: printed,
    journal: () => journal,
    kill() {
      if (holder && !/^exited \d+$/m.test(journal.slice(begin))) signal('SIGKILL')
      holder?.close()
    },
  }
}

/** The unit with its drop-ins. */
function readUnit(folder: string, name: string): string {
  const dropIns = globSync(join(folder, `${name}.d/*.conf`)).sort()
  return [join(folder, name), ...dropIns].map((file) => readFileSync(file, 'utf8')).join('\n')
}

/** An empty value takes back those before it. */
function directive(unit: string, name: string): string {
  const values = [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value)
  const [value, ...extraValues] = values.slice(values.lastIndexOf('') + 1)
  if (value === undefined || extraValues.length > 0) throw new Error(`${name}= stands ${extraValues.length + 1} times`)
  return value
}

/** As systemd.exec(5) reads an EnvironmentFile, and sh the same file: quotes around a value are not a part of it. */
function readEnvironment(file: string): Readonly<Record<string, string>> {
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = '', value = ''] = /^([A-Z_]+)="?([^"]*)"?$/.exec(line) ?? []
      return [name, value]
    }),
  )
}

const words = (settings: Readonly<Record<string, string>>) =>
  Object.entries(settings)
    .map(([name, value]) => `${name}="${value}"`)
    .join(' ')

interface Holder {
  /** Starts a command that has the socket as its file descriptor 3. */
  readonly run: (command: string) => void
  readonly close: () => void
}

/** A shell has the listening socket: unlike a server of this process, it never accepts a connection. */
async function holdSocket(address: string, onText: (text: string) => void): Promise<Holder> {
  const [host = '', port = ''] = address.split(':')
  const server = createServer().listen(Number(port), host)
  await once(server, 'listening')
  const { _handle: handle } = server as unknown as { readonly _handle: { readonly fd: number } }
  const shell = spawn('sh', ['-c', 'while read -r line; do eval "$line" & done'], {
    stdio: ['pipe', 'pipe', 'inherit', handle.fd],
  })
  await once(shell, 'spawn')
  server.close()
  await once(server, 'close')
  const { stdin, stdout } = shell
  if (!stdin || !stdout) throw new Error('the shell has no pipes')
  stdout.setEncoding('utf8').on('data', onText)
  return {
    run: (command) => void stdin.write(`(sh -c 'echo pid $$; ${command}' 2>&1; echo "exited $?")\n`),
    close() {
      stdin.end()
      shell.kill()
    },
  }
}
