import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'

import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'

import { main, start } from '../command.ts'
import { useDatabase } from './run-command.ts'

const { place, admin, json, file } = useDatabase()

const makeUser = (username: string) =>
  json('user', 'create', username, '--name', 'Alice Doe', '--email', 'alice@example.com', '--domain', 'Intranet')

/** As an attacker who has the file would. */
function forge(statement: string): void {
  const database = new Sqlite(place.database)
  database.exec(statement)
  database.close()
}

describe('second-factor audit', () => {
  it('second-factor audit lists entries, oldest first, without personal data of users', async () => {
    const { id } = await makeUser('alice')

    const { stdout } = await admin('audit', 'list')

    const lines = stdout.trimEnd().split('\n')
    expect(lines[0]).toMatch(/^Time +Event +Actor +Address +Details$/)
    expect(lines.map((line) => line.split(/ +/)[1])).toEqual([
      'Event',
      'organization.created',
      'domain.created',
      'api_key.created',
      'user.created',
      'membership.added',
    ])
    expect(lines[4]).toContain(`cli ${userInfo().username}`)
    expect(lines[4]).toContain(`user=${id.slice(0, 12)}`)
    expect(stdout).not.toMatch(/alice|doe/i)
  })

  it('second-factor audit filters entries by user (even deleted), event and time, and limits the number', async () => {
    const { id } = await makeUser('alice')
    await makeUser('bob')
    const events = async (...options: string[]) =>
      (await json('audit', 'list', ...options)).map(({ event }: { event: string }) => event)

    expect(await events('--user', 'alice')).toEqual(['user.created', 'membership.added'])
    expect(await events('--event', 'user.created')).toEqual(['user.created', 'user.created'])
    expect(await events('--limit', '1')).toEqual(['membership.added'])
    expect(await events('--since', '1h', '--organization', 'Organization')).toHaveLength(7)
    expect(await events('--since', '2999-01-01')).toEqual([])
    await admin('user', 'delete', 'alice', '--yes')
    expect(await events('--user', id)).toEqual(['user.created', 'membership.added', 'user.deleted'])
  })

  it.each([
    ['an unknown event', ['--event', 'user.forgotten'], 'user.created'],
    ['an invalid time', ['--since', 'yesterday'], '2026-11-01'],
  ])('second-factor audit list refuses %s and names a valid value', async (_, options, hint) => {
    const { code, stderr } = await admin('audit', 'list', ...options)

    expect(code).toBe(2)
    expect(stderr).toContain(hint)
  })

  it('second-factor audit exports entries as JSON lines', async () => {
    await makeUser('alice')

    const { stdout, code } = await admin('audit', 'export')

    const entries = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(code).toBe(0)
    expect(entries).toHaveLength(5)
    expect(entries[0]).toEqual({
      writer: expect.stringMatching(/^[0-9a-f]{40}$/),
      sequence: 1,
      at: expect.any(Number),
      event: 'organization.created',
      actor: { kind: 'cli', id: userInfo().username },
      organizationId: place.organizationId,
      address: null,
      facts: {},
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })

  it('second-factor audit export ends without an error when the reader closes the pipe', async () => {
    forge(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
      insert into audit (writer, sequence, at, event, actor_kind, actor_id, facts, hash)
      select 'w', i, 1, 'user.created', 'cli', 'x', '{}', 'h' from n`)
    const child = spawn(process.execPath, [main, 'audit', 'export', '--database', place.database])
    let stderr = ''
    child.stderr.on('data', (data: Buffer) => (stderr += data.toString()))

    await once(child.stdout, 'data')
    child.stdout.destroy()
    const [code] = (await once(child, 'close')) as [number]

    expect([code, stderr]).toEqual([0, ''])
  })

  it('second-factor audit verifies an intact audit trail and writes its heads', async () => {
    await makeUser('alice')

    const first = await admin('audit', 'verify', '--write-head', file('heads'))
    await makeUser('bob')
    const second = await admin('audit', 'verify', '--head', file('heads'))

    expect([first.code, second.code]).toEqual([0, 0])
    expect(first.stdout).toBe('The audit trail is intact: 5 entries in 2 chains.\n')
    expect(second.stdout).toBe('The audit trail is intact: 7 entries in 3 chains, compared with 2 earlier heads.\n')
    expect(readFileSync(file('heads'), 'utf8').trimEnd().split('\n')).toHaveLength(2)
  })

  it.each([
    ['changed', "update audit set facts = '{}' where event = 'user.created'"],
    ['missing', "delete from audit where event = 'user.created'"],
    ['cut off', "delete from audit where event = 'membership.added'"],
  ])('second-factor audit verify finds entries that are %s, and keeps the saved heads', async (finding, statement) => {
    await makeUser('alice')
    await admin('audit', 'verify', '--write-head', file('heads'))
    const headsBefore = readFileSync(file('heads'), 'utf8')
    forge(statement)
    // An attacker who can do that can also change what the database records about its chains.
    forge('update audit_writer set sequence = 0')

    const verified = await admin('audit', 'verify', '--head', file('heads'), '--write-head', file('heads'))

    expect(verified.code).toBe(1)
    expect(verified.stdout).toMatch(new RegExp(`^${finding}`, 'm'))
    expect(readFileSync(file('heads'), 'utf8')).toBe(headsBefore)
  })

  it('second-factor audit verify compares the trail with the heads that a service logs at its default level', async () => {
    const service = start('serve', '--database', place.database, '--port', '0')
    await service.printed(/listens/)
    const [origin] = /http:[^ ]+/.exec(service.stdout())!
    const user = { username: 'bob', name: 'Bob', email: 'bob@example.com' }
    const headers = { authorization: `Service key="${place.apiKey}"` }
    await fetch(`${origin}/api/users`, { method: 'POST', headers, body: JSON.stringify(user) })
    service.stop()
    writeFileSync(file('log'), `${(await service.ended).stderr}{"writer":"cut`)

    const whole = await admin('audit', 'verify', '--head', file('log'))
    forge("delete from audit where event = 'user.created'; update audit_writer set sequence = 0")
    const cut = await admin('audit', 'verify', '--head', file('log'))

    expect([whole.code, cut.code]).toEqual([0, 1])
    expect(whole.stdout).toContain('compared with 1 earlier head')
    expect(cut.stdout).toMatch(/^cut off/m)
  })

  it('second-factor audit prune asks for a confirmation, and removes no recent entry', async () => {
    await makeUser('alice')

    const refused = await admin('audit', 'prune', '--before', '0', '--yes')
    const unasked = await admin('audit', 'prune', '--before', '1')
    const { removed } = await json('audit', 'prune', '--before', '1', '--yes')

    expect([refused.code, unasked.code, removed]).toEqual([2, 2, 0])
    expect((await admin('audit', 'verify')).code).toBe(0)
  })
})
