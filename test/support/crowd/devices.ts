import { randomBytes } from 'node:crypto'

import BetterSqlite3 from 'better-sqlite3'

import { createKeyPair, exportPrivateKey, exportPublicKey } from '../../../src/device/keys.ts'

/**
 * Writes users with an active device each into the database, as activating them one by one would take minutes. They
 * share a key pair: to check a signature takes as long.
 */
export async function addDevices(database: string, domainId: string, count: number) {
  const { privateKey, publicKey } = await createKeyPair(true)
  const { x, y } = await exportPublicKey(publicKey)
  const file = new BetterSqlite3(database, { timeout: 5_000 })
  const id = () => randomBytes(20).toString('hex')
  const now = Math.floor(Date.now() / 1000)
  const organizationId = file.prepare('select organization_id from domain where id = ?').pluck().get(domainId)
  const user = file.prepare(
    'insert into user (id, organization_id, username, name, email, ever_enrolled, created_at) values (?, ?, ?, ?, ?, 1, ?)',
  )
  const member = file.prepare('insert into membership (domain_id, user_id) values (?, ?)')
  const token = file.prepare(
    "insert into token (id, domain_id, user_id, state, created_at, activated_at) values (?, ?, ?, 'active', ?, ?)",
  )
  const device = file.prepare(
    'insert into device (id, token_id, domain_id, user_id, name, key_x, key_y, created_at) values (?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const ids = Array.from({ length: count }, () => ({ user: id(), device: id() }))
  file.transaction(() => {
    for (const [index, pair] of ids.entries()) {
      const tokenId = id()
      user.run(pair.user, organizationId, `user-${index}`, 'Person', 'person@example.com', now)
      member.run(domainId, pair.user)
      token.run(tokenId, domainId, pair.user, now, now)
      device.run(pair.device, tokenId, domainId, pair.user, 'Bench', x, y, now)
    }
  })()
  const serviceId = String(file.prepare('select id from service').pluck().get())
  file.close()
  return { ids, serviceId, privateKey: await exportPrivateKey(privateKey) }
}
