import session from 'express-session'
import type { SessionData } from 'express-session'
import { describe, expect, it } from 'vitest'

import { openDatabase } from '../../example-app/storage/database.ts'
import { SessionStore, webSessionLifetime } from '../../example-app/storage/session-store.ts'
import { createTestClock } from '../../src/testing/clock.ts'

function arrange() {
  const clock = createTestClock()
  const database = openDatabase(':memory:')
  return { clock, database, store: new SessionStore(database, () => clock.now()) }
}

const signedIn = (user: string) => ({ cookie: new session.Cookie(), passport: { user } }) as unknown as SessionData

function read(store: SessionStore, id: string): Promise<SessionData | null | undefined> {
  return new Promise((resolve, reject) => {
    store.get(id, (error, content) => (error ? reject(error) : resolve(content)))
  })
}

describe('web sessions', () => {
  it('web sessions of the example app survive a restart', async () => {
    const { clock, database, store } = arrange()
    store.set('one', signedIn('alice'))

    const later = new SessionStore(database, () => clock.now())

    expect(await read(later, 'one')).toMatchObject({ passport: { user: 'alice' } })
  })

  it('web sessions of the example app end when they are unused for their lifetime', async () => {
    const { clock, store } = arrange()
    store.set('one', signedIn('alice'))

    await clock.advance(webSessionLifetime)

    expect(await read(store, 'one')).toBeNull()
  })

  it('web sessions of the example app stay alive while they are used', async () => {
    const { clock, store } = arrange()
    store.set('one', signedIn('alice'))

    await clock.advance(webSessionLifetime - 1)
    store.touch('one', signedIn('alice'))
    await clock.advance(webSessionLifetime - 1)

    expect(await read(store, 'one')).not.toBeNull()
  })

  it('web sessions of the example app cannot be revived after their end', async () => {
    const { store } = arrange()
    store.set('one', signedIn('alice'))

    store.destroy('one')
    store.touch('one', signedIn('alice'))

    expect(await read(store, 'one')).toBeNull()
  })

  it('the example app can end the web sessions of one account everywhere else', async () => {
    const { store } = arrange()
    store.set('here', signedIn('alice'))
    store.set('there', signedIn('alice'))
    store.set('of bob', signedIn('bob'))

    store.endOthers('alice', 'here')

    expect(await read(store, 'here')).not.toBeNull()
    expect(await read(store, 'there')).toBeNull()
    expect(await read(store, 'of bob')).not.toBeNull()
  })
})
