/**
 * A tool server for an AI agent (Model Context Protocol, over stdio) that asks a person before it pays. The device shows what the tool is
 * about to do, made from its arguments. No text of the model is shown. Set MFA_BASE_URL, MFA_API_KEY, MFA_DOMAIN_ID and APPROVER.
 */
import { randomBytes } from 'node:crypto'
import { appendFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'

import { createClient } from 'second-factor/client'
import { z } from 'zod'

const { MFA_BASE_URL: baseUrl, MFA_API_KEY: apiKey, MFA_DOMAIN_ID: domain, APPROVER: username } = process.env
const { approvals } = createClient({ baseUrl, apiKey })

const Payment = z.object({ to: z.string().regex(/^[A-Z]{2}\d{2}[A-Z\d]{11,30}$/), cents: z.int().min(1).max(1e6) })
const inputSchema = z.toJSONSchema(Payment)
const pay = { name: 'pay', description: 'Pays in euros, once a person has approved.', inputSchema }

async function payOnce(args, signal) {
  const { data: payment } = Payment.safeParse(args)
  if (!payment) throw new Error('Not paid: `to` is an IBAN, `cents` a whole number from 1 to 1000000.')
  const challenge = randomBytes(16).toString('base64url')
  const title = `Pay €${(payment.cents / 100).toFixed(2)}`
  const content = { title, details: [{ label: 'To', value: payment.to }], requestedBy: 'Payment agent' }
  // The client sends an Idempotency-Key, so a retry after a lost response asks once.
  const { id } = await approvals.create(domain, { user: { username }, ...content, challenge })
  try {
    const { state, reason = state } = await approvals.wait(domain, id, { signal })
    if (state !== 'approved') throw new Error(`Not paid: the approval was not given (${reason}). Do not try again.`)
  } finally {
    if (signal.aborted) await approvals.cancel(domain, id)
  }
  signal.throwIfAborted()
  await approvals.redeem(domain, id, challenge) // Succeeds once, so an approval pays once.
  await appendFile('payments.jsonl', `${JSON.stringify({ approval: id, ...payment })}\n`)
  return `Paid. Approval: ${id}`
}

const calls = new Map()
const answer = (isError) => (text) => ({ content: [{ type: 'text', text: String(text.message ?? text) }], isError })
const serverInfo = { name: 'pay', version: '1' }
const methods = {
  initialize: () => ({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo }),
  'tools/list': () => ({ tools: [pay] }),
  'tools/call'({ arguments: args }, id) {
    calls.set(id, new AbortController())
    const paid = payOnce(args, calls.get(id).signal)
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
  const outcome = result ? { result } : { error: { code: -32_601, message: 'Method not found' } }
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }))
})
