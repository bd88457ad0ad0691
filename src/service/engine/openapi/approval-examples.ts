import { passkeyAnswer, requestOptions, startedAuthentication } from './passkey-examples.ts'

/** One action that is approved by a device, and by a passkey. Their proofs can be verified. */

const id = '9c'.repeat(20)
const [userId, domainId] = ['1f'.repeat(20), '2e'.repeat(20)]
const challenge = 'q83vEjRWeJCrze8SNFZ4kA'
const { rp } = startedAuthentication

export const newApproval = {
  user: { username: 'alice' },
  title: 'Transfer €250.00',
  details: [
    { label: 'To', value: 'DE89 3704 0044 0532 0130 00' },
    { label: 'Amount', value: '€250.00' },
  ],
  challenge,
}

const content = JSON.stringify({
  approval: id,
  app: { id: domainId, name: 'Intranet' },
  requester: { kind: 'self', name: 'Alice Example (alice)' },
  title: newApproval.title,
  details: newApproval.details,
  needed: 1,
  createdAt: 1795000000,
  expiresAt: 1795000300,
})

const alice = { id: userId, username: 'alice' }

export const pendingApproval = {
  id,
  state: 'pending',
  content,
  digest: 'da12ba933319b1076dffaa73e470931460f43b9ea090cea1884b60f88ccb758c',
  needed: 1,
  approvers: [{ user: alice }],
  createdAt: 1795000000,
  expiresAt: 1795000300,
}

/** A device's answer (`typ: approval+jws`) and the receipt of the service. */
const proof = {
  answer:
    'eyJhbGciOiJFUzI1NiIsInR5cCI6ImFwcHJvdmFsK2p3cyJ9.eyJhdWQiOiJkMGQwZDBkMGQwZDBkMGQwZDBkMGQwZDBkMGQwZDBkMGQwZDBkMGQwIiwic3ViIjoiNmE2YTZhNmE2YTZhNmE2YTZhNmE2YTZhNmE2YTZhNmE2YTZhNmE2YSIsImFwcHJvdmFsIjoiOWM5YzljOWM5YzljOWM5YzljOWM5YzljOWM5YzljOWM5YzljOWM5YyIsImNvbnRlbnQiOiJ7XCJhcHByb3ZhbFwiOlwiOWM5YzljOWM5YzljOWM5YzljOWM5YzljOWM5YzljOWM5YzljOWM5Y1wiLFwiYXBwXCI6e1wiaWRcIjpcIjJlMmUyZTJlMmUyZTJlMmUyZTJlMmUyZTJlMmUyZTJlMmUyZTJlMmVcIixcIm5hbWVcIjpcIkludHJhbmV0XCJ9LFwicmVxdWVzdGVyXCI6e1wia2luZFwiOlwic2VsZlwiLFwibmFtZVwiOlwiQWxpY2UgRXhhbXBsZSAoYWxpY2UpXCJ9LFwidGl0bGVcIjpcIlRyYW5zZmVyIOKCrDI1MC4wMFwiLFwiZGV0YWlsc1wiOlt7XCJsYWJlbFwiOlwiVG9cIixcInZhbHVlXCI6XCJERTg5IDM3MDQgMDA0NCAwNTMyIDAxMzAgMDBcIn0se1wibGFiZWxcIjpcIkFtb3VudFwiLFwidmFsdWVcIjpcIuKCrDI1MC4wMFwifV0sXCJuZWVkZWRcIjoxLFwiY3JlYXRlZEF0XCI6MTc5NTAwMDAwMCxcImV4cGlyZXNBdFwiOjE3OTUwMDAzMDB9IiwiZGVjaXNpb24iOiJhcHByb3ZlIiwibm9uY2UiOiJtTjJ2OFFrWnIxc1hjNVRuQncwbDNRIiwiaWF0IjoxNzk1MDAwMDEyfQ.S76B19IBL15cRA9v2BzVFgFVzQPRHEouHpllsrTnpwGVyDzp5lHT3t6sErMq3_1B64diddu--BwPDJv8Mlb9ew',
  receipt:
    'eyJhbGciOiJFUzI1NiIsInR5cCI6ImFwcHJvdmFsLXJlY2VpcHQrandzIiwia2lkIjoiZWRXVzg3UzYxVzEwMFJHYU1UeDFQQnRBMHJmdlNqT3ptM09kY0xZeVMyVSJ9.eyJpc3MiOiJkMGQwZDBkMGQwZDBkMGQwZDBkMGQwZDBkMGQwZDBkMGQwZDBkMGQwIiwiaWF0IjoxNzk1MDAwMDEyLCJhcHByb3ZhbCI6IjljOWM5YzljOWM5YzljOWM5YzljOWM5YzljOWM5YzljOWM5YzljOWMiLCJkb21haW4iOiIyZTJlMmUyZTJlMmUyZTJlMmUyZTJlMmUyZTJlMmUyZTJlMmUyZTJlIiwidXNlciI6eyJpZCI6IjFmMWYxZjFmMWYxZjFmMWYxZjFmMWYxZjFmMWYxZjFmMWYxZjFmMWYiLCJ1c2VybmFtZSI6ImFsaWNlIn0sImRlY2lzaW9uIjoiYXBwcm92ZSIsInNob3duQnkiOiJkZXZpY2UiLCJkZXZpY2UiOiI2YTZhNmE2YTZhNmE2YTZhNmE2YTZhNmE2YTZhNmE2YTZhNmE2YTZhIiwia2V5Ijp7Imt0eSI6IkVDIiwiY3J2IjoiUC0yNTYiLCJ4IjoiSGpESkVGYnJzUXg4RFU5NmJTT0xiTXdMdXVzSTI0R1RLbDJfV1psYmZxVSIsInkiOiItZVM4N2lSNmxVZDF1SkVhS1JEOGloMGVVbjZSekxMc3RFWEthX3REOXhBIn0sIm51bWJlck1hdGNoZWQiOmZhbHNlLCJwaW5WZXJpZmllZCI6ZmFsc2UsImFuc3dlciI6IkpnNDg1T1hhdnFVdzU1cnU3Vm1DdUh0WUlnUDBRZVN5dkI4dnQtMXh4XzAifQ._h-fUh0SrfJU7svcZ3zuFZccgxXVdA9XTweQZTd9zjicYe8ns1ocAAwWFE2MNx71QUUTrRcMt2BSol3GFwA7dA',
}

const approvedBy = (given: { readonly answer: string; readonly receipt: string }) => ({
  ...pendingApproval,
  state: 'approved',
  approvers: [{ user: alice, decision: 'approve', answeredAt: 1795000012, proof: given }],
  settledAt: 1795000012,
})

export const approvedAction = approvedBy(proof)

export const redeemedApproval = { ...approvedAction, redeemedAt: 1795000013 }

/** The challenge: SHA-256 over the label, the approval's id, a nonce and the digest of the content. */
export const approvalRequestOptions = {
  ...requestOptions,
  challenge: 'Z47--gnlzoOkRUAni5HBf1DP6-1gN-KujyrsyDhvzk0',
}

const signed = {
  clientDataJSON:
    'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoiWjQ3LS1nbmx6b09rUlVBbmk1SEJmMURQNi0xZ04tS3VqeXJzeURodnprMCIsIm9yaWdpbiI6Imh0dHBzOi8vYXBwLmV4YW1wbGUiLCJjcm9zc09yaWdpbiI6ZmFsc2V9',
  authenticatorData: 'VtmCAS3hjt8Iz1fY2UtegalxmdPrFPI7fCt1xcdfVG0FAAAAAQ',
  signature: 'MEUCIQCxg873ddDxktwVOQaDNVGZc_phHN-TYi3htW3XznDIhgIgZtkRd_bDFujv3MUJEBW_LXOaoLzlthaKVZCRVTbOvY4',
}

export const startedByPasskey = { user: { username: 'alice' }, rp }

export const answeredByPasskey = {
  ...startedByPasskey,
  passkey: { ...passkeyAnswer, response: { ...passkeyAnswer.response, ...signed } },
}

export const approvedByPasskey = approvedBy({
  answer: JSON.stringify({
    approval: id,
    content,
    nonce: 'WYVxNuwz3RBEhnJKM4LvVh2tOdXI9WRUPYqA_qa0klM',
    credentialId: passkeyAnswer.id,
    authenticatorData: signed.authenticatorData,
    clientData: signed.clientDataJSON,
    signature: signed.signature,
  }),
  receipt:
    'eyJhbGciOiJFUzI1NiIsInR5cCI6ImFwcHJvdmFsLXJlY2VpcHQrandzIiwia2lkIjoiZWRXVzg3UzYxVzEwMFJHYU1UeDFQQnRBMHJmdlNqT3ptM09kY0xZeVMyVSJ9.eyJpc3MiOiJkMGQwZDBkMGQwZDBkMGQwZDBkMGQwZDBkMGQwZDBkMGQwZDBkMGQwIiwiaWF0IjoxNzk1MDAwMDEyLCJhcHByb3ZhbCI6IjljOWM5YzljOWM5YzljOWM5YzljOWM5YzljOWM5YzljOWM5YzljOWMiLCJkb21haW4iOiIyZTJlMmUyZTJlMmUyZTJlMmUyZTJlMmUyZTJlMmUyZTJlMmUyZTJlIiwidXNlciI6eyJpZCI6IjFmMWYxZjFmMWYxZjFmMWYxZjFmMWYxZjFmMWYxZjFmMWYxZjFmMWYiLCJ1c2VybmFtZSI6ImFsaWNlIn0sImRlY2lzaW9uIjoiYXBwcm92ZSIsInNob3duQnkiOiJhcHAiLCJwYXNza2V5IjoiOGE4YThhOGE4YThhOGE4YThhOGE4YThhOGE4YThhOGE4YThhOGE4YSIsImtleSI6eyJrdHkiOiJFQyIsImNydiI6IlAtMjU2IiwieCI6Imd2SDhZcWVqX1hxaGdkQUh5WTNNOGcxdFlnYlE2QmVUcHFhWFp6MkloUzQiLCJ5IjoiSDR4MXdaWGJ1ZXhVNU95RF92bk4yVmwzWmMtcnZnWGNOdEllTlBjVVVZNCJ9LCJycElkIjoiYXBwLmV4YW1wbGUiLCJ1c2VyVmVyaWZpZWQiOnRydWUsImFuc3dlciI6Ik5MUlEteTFwd3dRSnI3ZW13UlhnNXB2WXNnOU5pbU9XaG9PODRkWllsMjAifQ.NXmhiO00diIHKIfWBbLXDjANpNLmaSZwGP68aB1EEcnPTB4wCn7oxBPInvZAsStCJ_cjeR3ytuZysp7SKTBf5Q',
})

export const receiptKey = {
  kty: 'EC',
  crv: 'P-256',
  x: 'pxBy4AinufESxtmwrg4ENtq-qwUGXmyQXgEZ4mVEyBI',
  y: 'H0ACozUjeJ3UFpGNxBdq_r9dMqWkx2dj2ilA3Jx9YqU',
  kid: 'edWW87S61W100RGaMTx1PBtA0rfvSjOzm3OdcLYyS2U',
  alg: 'ES256',
  use: 'sig',
}
