import { createDecipheriv, createECDH, createHmac, randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { Agent, createServer } from 'node:https'
import type { AddressInfo } from 'node:net'

import { decodeProtectedHeader, importJWK, jwtVerify } from 'jose'
import { BasicConstraintsExtension, SubjectAlternativeNameExtension } from '@peculiar/x509'

import { createCertificate } from '../../example-app/https/create-certificate.ts'
import type { PushSubscription } from '../../src/contract/device.ts'

/** A message as it arrived, opened. */
export interface ReceivedPush {
  readonly path: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
  readonly json: unknown
}

/** What it says to a message; by default that it has taken it. */
type Reply = (res: ServerResponse) => void

export type PushService = Awaited<ReturnType<typeof startPushService>>

const host = 'fcm.googleapis.com'

/** A real push service of its own certificate, that keeps what it is given. It answers under the name of a known one. */
export async function startPushService() {
  const certificate = await certificateOf(host)
  const subscribers = new Map<string, (body: Buffer) => string>()
  const messages: ReceivedPush[] = []
  const waiting: (() => void)[] = []
  const replies: Reply[] = []
  let connections = 0

  const server = createServer({ cert: certificate.certificate, key: certificate.key }, (req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const text = subscribers.get(req.url ?? '')?.(Buffer.concat(chunks)) ?? ''
      const headers = req.headers as ReceivedPush['headers']
      messages.push({ path: req.url ?? '', headers, text, json: text && JSON.parse(text) })
      const reply = replies.shift()
      if (reply) reply(res)
      else res.writeHead(201).end()
      for (const resolve of waiting.splice(0)) resolve()
    })
  })
  server.on('connection', () => (connections += 1))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    port,
    ca: certificate.certificate,
    messages,
    connections: () => connections,
    /** Of a browser that is told of nothing else. */
    subscribe(): PushSubscription {
      const path = `/fcm/send/${randomBytes(8).toString('hex')}`
      const { keys, open } = createSubscriber()
      subscribers.set(path, open)
      return { endpoint: `https://${host}${path}`, keys }
    },
    /** What is said to the next messages, one after the other. */
    reply: (...next: (number | Reply)[]) =>
      void replies.push(
        ...next.map((reply): Reply => (typeof reply === 'number' ? (res) => void res.writeHead(reply).end() : reply)),
      ),
    /** Resolves once so many have come in all. */
    async received(count: number): Promise<void> {
      while (messages.length < count) await new Promise<void>((resolve) => void waiting.push(resolve))
    },
    /** Connects to here, whatever the name is. */
    agent: () =>
      new Agent({
        port,
        ca: certificate.certificate,
        keepAlive: true,
        lookup: (_name, options, done) =>
          options.all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4),
      }),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A certificate that is its own authority. */
export function certificateOf(name: string) {
  const day = 86_400_000
  return createCertificate({
    commonName: name,
    notBefore: new Date(Date.now() - day),
    notAfter: new Date(Date.now() + day),
    extensions: [
      new BasicConstraintsExtension(true),
      new SubjectAlternativeNameExtension([{ type: 'dns', value: name }]),
    ],
  })
}

/** The browser's half of RFC 8291: its keys, and how it opens what is encrypted for them. */
function createSubscriber() {
  const pair = createECDH('prime256v1')
  pair.generateKeys()
  const auth = randomBytes(16)
  const keys = { p256dh: pair.getPublicKey('base64url'), auth: auth.toString('base64url') }

  /** The content coding aes128gcm, one record (RFC 8188 section 2). */
  function open(body: Buffer): string {
    const salt = body.subarray(0, 16)
    const keyLength = body.readUInt8(20)
    const sender = body.subarray(21, 21 + keyLength)
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), pair.getPublicKey(), sender])
    const secret = derive(auth, pair.computeSecret(sender), info, 32)
    const key = derive(salt, secret, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
    const nonce = derive(salt, secret, Buffer.from('Content-Encoding: nonce\0'), 12)
    const sealed = body.subarray(21 + keyLength)
    const decipher = createDecipheriv('aes-128-gcm', key, nonce)
    decipher.setAuthTag(sealed.subarray(-16))
    const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
    return padded.subarray(0, padded.lastIndexOf(2)).toString()
  }

  return { keys, open }
}

/** HKDF with SHA-256 (RFC 5869) for up to one block. */
function derive(salt: Buffer, secret: Buffer, info: Buffer, length: number): Buffer {
  const key = createHmac('sha256', salt).update(secret).digest()
  return createHmac('sha256', key)
    .update(Buffer.concat([info, Buffer.from([1])]))
    .digest()
    .subarray(0, length)
}

/** What a message was signed with says of it (RFC 8292). @throws where that was another key. */
export async function verifySender({ headers }: ReceivedPush, pushKey: string) {
  const [, token = '', key] = /^vapid t=([^,]+), ?k=(.+)$/.exec(headers.authorization ?? '') ?? []
  const point = Buffer.from(pushKey, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const verifying = await importJWK({ kty: 'EC', crv: 'P-256', x: x!, y: y! }, 'ES256')
  const { payload } = await jwtVerify(token, verifying)
  return { payload, header: decodeProtectedHeader(token), key }
}
