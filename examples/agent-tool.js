/**
 * A tool server for an AI agent (Model Context Protocol, over stdio) that asks a person before it pays:
 *
 *   MFA_BASE_URL=… MFA_API_KEY=… MFA_DOMAIN_ID=… APPROVER=alice node examples/agent-tool.js
 *
 * The device shows what the tool is about to do, made from its arguments. No text of the model is shown.
 */
import { randomBytes } from 'node:crypto'
import { appendFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { createClient } from 'second-factor/client'

const { MFA_BASE_URL: baseUrl, MFA_API_KEY: apiKey, MFA_DOMAIN_ID: domain, APPROVER: username } = process.env
const { approvals } = createClient({ baseUrl, apiKey })

const to = { type: 'string', pattern: '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$', description: 'IBAN' }
const cents = { type: 'integer', minimum: 1, maximum: 1_000_000 }
const inputSchema = {
  type: 'object',
  properties: { to, cents },
  required: ['to', 'cents'],
  additionalProperties: false,
}

async function pay(args, signal) {
  const payment = { to: args.to, cents: args.cents }
  const known = typeof payment.to === 'string' && new RegExp(to.pattern).test(payment.to)
  if (!known || !Number.isInteger(payment.cents) || payment.cents < 1 || payment.cents > cents.maximum) {
    throw new Error('Not paid: `to` is an IBAN, `cents` a whole number from 1 to 1000000.')
  }
  const title = `Pay €${(payment.cents / 100).toFixed(2)}`
  const challenge = randomBytes(16).toString('base64url')
  const content = { title, details: [{ label: 'To', value: payment.to }], requestedBy: 'Payment agent' }
  // The client sends an Idempotency-Key, so a retry after a lost response asks once.
  const { id } = await approvals.create(domain, { user: { username }, ...content, expiresIn: 300, challenge })
  try {
    const { state, reason = state } = await approvals.wait(domain, id, { signal })
    if (state !== 'approved') throw new Error(`Not paid: the approval was not given (${reason}). Do not try again.`)
    signal.throwIfAborted()
  } finally {
    if (signal.aborted) await approvals.cancel(domain, id)
  }
  await approvals.redeem(domain, id, challenge) // Succeeds once, so an approval pays once.
  await appendFile('payments.jsonl', `${JSON.stringify({ approval: id, ...payment })}\n`)
  return `Paid. Approval: ${id}`
}

const calls = new Map()
const methods = {
  initialize: () => ({
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'pay', version: '1' },
  }),
  'tools/list': () => ({
    tools: [{ name: 'pay', description: 'Pays in euros, once a person has approved.', inputSchema }],
  }),
  async 'tools/call'({ name, arguments: args = {} }, id) {
    calls.set(id, new AbortController())
    const paid = name === 'pay' ? pay(args, calls.get(id).signal) : Promise.reject(new Error('There is no such tool.'))
    const answer = (isError) => (text) => ({ content: [{ type: 'text', text: String(text.message ?? text) }], isError })
    return paid.then(answer(false), answer(true)).finally(() => calls.delete(id))
  },
}

const lines = createInterface({ input: process.stdin })
lines.on('close', () => calls.forEach((call) => call.abort()))
lines.on('line', async (line) => {
  const { id, method, params = {} } = JSON.parse(line)
  if (method === 'notifications/cancelled') calls.get(params.requestId)?.abort()
  if (id === undefined) return
  const result = await methods[method]?.(params, id)
  const answer = result ? { result } : { error: { code: -32601, message: 'Method not found' } }
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
})
