// A RewriteMap of Apache: reads "user cookies" by line, both percent-encoded, and answers "yes" if the gate knows their second step,
// else "no". Each line gets exactly one answer, in the same order: otherwise people would get the answers of others.
import process from 'node:process'

process.loadEnvFile('/etc/second-factor/gate-map.env')
const { GATE_KEY, PORT = '3000', USER_HEADER = 'X-Remote-User' } = process.env

// Each character is one byte, as in the headers that the browser has sent.
process.stdin.setEncoding('latin1')
const decode = (text) => text.replace(/%([0-9a-f]{2})/gi, (_, digits) => String.fromCharCode(parseInt(digits, 16)))

async function passed(line) {
  const [, user, cookie] = /^(\S+) (\S*)$/.exec(line)
  const headers = {
    'X-Gate-Key': GATE_KEY,
    [USER_HEADER]: decode(user),
    'X-Forwarded-Proto': 'https',
    cookie: decode(cookie),
  }
  const signal = AbortSignal.timeout(2000)
  const { status } = await fetch(`http://127.0.0.1:${PORT}/gate/check`, { headers, signal, redirect: 'manual' })
  return status === 204
}

let rest = ''
for await (const text of process.stdin) {
  // Only "\n" ends a question. `readline` would also end it at other characters, which a cookie may contain.
  const lines = (rest + text).split('\n')
  rest = lines.pop()
  for (const line of lines) process.stdout.write((await passed(line).catch(() => false)) ? 'yes\n' : 'no\n')
}
