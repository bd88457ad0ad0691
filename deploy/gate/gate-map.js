// A RewriteMap of Apache: reads "user cookies" by line, and answers "yes" if the gate knows their second step, else "no".
import { createInterface } from 'node:readline'

process.loadEnvFile('/etc/second-factor/gate.env')
const { GATE_KEY, PORT = '3000', USER_HEADER = 'X-Remote-User' } = process.env

for await (const line of createInterface({ input: process.stdin })) {
  const [, user = '', cookie = ''] = /^(\S*) (.*)$/.exec(line) ?? []
  const headers = {
    'X-Gate-Key': GATE_KEY,
    [USER_HEADER]: decodeURIComponent(user),
    'X-Forwarded-Proto': 'https',
    cookie,
  }
  const yes = await fetch(`http://127.0.0.1:${PORT}/gate/check`, { headers, signal: AbortSignal.timeout(2000) }).then(
    ({ status }) => status === 204,
    () => false,
  )
  process.stdout.write(yes ? 'yes\n' : 'no\n')
}
