/**
 * Verifies proofs of approvals with nothing but `jose`: node verify-proof.js trust.json < export.jsonl
 *
 * `trust.json` is the output of `second-factor proof keys`, stored beforehand. docs/approvals.md explains each step.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

import { compactVerify, createLocalJWKSet, importJWK } from 'jose'

const trust = createLocalJWKSet(JSON.parse(readFileSync(process.argv[2], 'utf8')))

async function verifyProof({ answer, receipt }) {
  const claims = await read(receipt, trust, 'approval-receipt+jws')
  const { shownBy, key, iss, approval, device, decision, domain, iat, user } = claims
  expect(shownBy === 'device', 'not answered on a device')
  expect(createHash('sha256').update(answer).digest('base64url') === claims.answer, 'receipt of another answer')
  const signed = await read(answer, await importJWK(key, 'ES256'), 'approval+jws')
  expect(signed.approval === approval && signed.decision === decision, 'receipt of another decision')
  expect(signed.aud === iss && signed.sub === device, 'another service or device')
  const content = JSON.parse(signed.content)
  expect(content.approval === approval && content.app.id === domain, 'content of another approval')
  expect(content.createdAt - 60 <= iat && iat <= content.expiresAt, 'accepted too early or too late')
  return `${user.username}: ${decision} ${JSON.stringify(content.title)} at ${new Date(iat * 1000).toISOString()}`
}

async function read(jws, key, typ) {
  const { payload, protectedHeader } = await compactVerify(jws, key, { algorithms: ['ES256'] })
  expect(protectedHeader.typ === typ, `not of the type ${typ}`)
  return JSON.parse(new TextDecoder().decode(payload))
}

function expect(holds, problem) {
  if (!holds) throw new Error(problem)
}

for (const line of readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  for (const { proof } of JSON.parse(line).approvers) if (proof) console.log(await verifyProof(proof))
}
