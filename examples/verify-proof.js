/**
 * Verifies an approval that people gave on their devices, as docs/approvals.md describes proofs: with neither the service nor its code.
 *
 *     node verify-proof.js approval.json trust.json
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

import { createLocalJWKSet, importJWK, jwtVerify } from 'jose'

const [approval, trust] = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, 'utf8')))
const [keys, algorithms, people] = [createLocalJWKSet(trust), ['ES256'], new Map()]
const contentNames = /^(approval|app|id|name|requester|kind|title|details|label|value|needed|createdAt|expiresAt|\d*)$/
const answerNames = /^(aud|sub|approval|content|decision|nonce|iat|)$/
const receiptNames =
  /^(iss|iat|approval|domain|user|id|username|decision|shownBy|device|key|kty|crv|x|y|numberMatched|pinVerified|answer|)$/

// JSON.stringify() writes no member twice, and this leaves out unknown ones. The places of details in their list are numbers.
const only = (names) => (name, value) => (names.test(name) ? value : undefined)
const exact = (text, names) => JSON.stringify(JSON.parse(text, only(names))) === text
const textOf = (jws) => Buffer.from(jws.split('.')[1], 'base64url').toString()

for (const { proof } of approval.approvers.filter((approver) => approver.proof)) {
  const { payload: receipt } = await jwtVerify(proof.receipt, keys, { algorithms, typ: 'approval-receipt+jws' })
  const addressed = { algorithms, typ: 'approval+jws', audience: receipt.iss, subject: receipt.device }
  const { payload: answer } = await jwtVerify(proof.answer, await importJWK(receipt.key, 'ES256'), addressed)
  const content = JSON.parse(answer.content)
  const checks = {
    'the members': exact(textOf(proof.receipt), receiptNames) && exact(textOf(proof.answer), answerNames),
    'the content': exact(answer.content, contentNames) && answer.content === approval.content,
    'the receipt of this answer': receipt.answer === createHash('sha256').update(proof.answer).digest('base64url'),
    'the approval': [receipt, answer, content].every((part) => part.approval === approval.id),
    'the decision and the app': answer.decision === receipt.decision && content.app.id === receipt.domain,
    'the time': content.createdAt <= receipt.iat && receipt.iat <= content.expiresAt,
  }
  for (const [name, holds] of Object.entries(checks)) if (!holds) throw new Error(`not valid: ${name}`)
  if (receipt.decision === 'approve') people.set(receipt.user.id, receipt.user.username)
}
if (people.size < Math.max(1, JSON.parse(approval.content).needed)) throw new Error('not valid: too few people')
console.log(approval.content, 'was approved by', people)
