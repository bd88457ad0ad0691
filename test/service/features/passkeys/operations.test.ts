import { expect, it } from 'vitest'

import { random128 } from '../../../support/device-signer.ts'
import { passkeyHolder, passkeyUser, rp } from './passkey-holder.ts'
import { operation } from '../../operation.ts'

operation('POST /domains/{domainId}/users/{userId}/passkeys/registration', (subject) => {
  it('starting a registration returns what a browser needs to make a passkey', async () => {
    const person = await passkeyUser(subject())

    const { json } = await person.startRegistration()

    expect(json).toEqual({
      challenge: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      rp: { id: rp.id, name: 'App' },
      user: {
        id: Buffer.from(person.id, 'hex').toString('base64url'),
        name: person.username,
        displayName: `Name of ${person.username}`,
      },
      pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: 'public-key', alg })),
      timeout: 300_000,
      attestation: 'none',
      excludeCredentials: [],
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    })
  })

  it('starting a registration excludes the passkeys that the user has for the relying party', async () => {
    const { startRegistration, passkey, pass } = await passkeyHolder(subject())
    const other = { id: 'other.example', origins: ['https://other.example'], name: 'Other' }

    const here = await startRegistration({ pass: await pass() })
    const there = await startRegistration({ pass: await pass(), rp: other })

    const excluded = [{ id: passkey.credentialId, type: 'public-key', transports: ['internal', 'hybrid'] }]
    expect([here.json.excludeCredentials, there.json.excludeCredentials]).toEqual([excluded, []])
  })
})

operation('POST /domains/{domainId}/users/{userId}/passkeys', (subject) => {
  it('finishing a registration adds the passkey, which the user has from then on', async () => {
    const { addPasskey, show } = await passkeyUser(subject())

    const { json } = await addPasskey({ name: 'My laptop' })

    expect(json).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{40}$/),
      credentialId: expect.any(String),
      rpId: rp.id,
      name: 'My laptop',
      syncable: false,
      synced: false,
      createdAt: subject().clock.now(),
    })
    expect(await show()).toMatchObject({ factors: ['passkey'], passkeys: [rp.id], everEnrolled: true })
  })
})

operation('GET /domains/{domainId}/users/{userId}/passkeys', (subject) => {
  it('the service lists a user’s passkeys in the order they were added, all or for one relying party', async () => {
    const person = await passkeyHolder(subject())
    const other = { id: 'other.example', origins: ['https://app.example'] }
    const started = await person.startRegistration({ pass: await person.pass(), rp: { ...other, name: 'Other' } })
    expect(started.status).toBe(200)
    await person.addPasskey({ pass: await person.pass(), name: 'Second' })

    const all = await person.listPasskeys()
    const { json: here } = await subject().call('GET', `${person.passkeys}?rpId=${rp.id}`)
    const { json: there } = await subject().call('GET', `${person.passkeys}?rpId=${other.id}`)

    expect(all.map(({ name }: { name: string }) => name)).toEqual(['Laptop', 'Second'])
    expect([here, there]).toEqual([all, []])
  })
})

operation('PUT /domains/{domainId}/users/{userId}/passkeys/{passkeyId}', (subject) => {
  it('renaming a passkey changes the name and nothing else', async () => {
    const { passkeys, passkey } = await passkeyHolder(subject())

    const { json } = await subject().call('PUT', `${passkeys}/${passkey.id}`, { body: { name: 'Phone' } })

    expect(json).toEqual({ ...passkey, name: 'Phone' })
  })
})

operation('DELETE /domains/{domainId}/users/{userId}/passkeys/{passkeyId}', (subject) => {
  it('a passkey can be deleted once, even if it is the last factor', async () => {
    const { passkeys, passkey, show } = await passkeyHolder(subject())

    const removed = await subject().call('DELETE', `${passkeys}/${passkey.id}`)
    const secondDeletion = await subject().call('DELETE', `${passkeys}/${passkey.id}`)

    expect([removed.status, secondDeletion.code]).toEqual([200, 'api.error.notfound.passkey'])
    expect(await show()).toMatchObject({ factors: [], passkeys: [], everEnrolled: true })
  })
})

operation('POST /domains/{domainId}/users/{userId}/passkeys/{passkeyId}/give-up', (subject) => {
  it('giving up a passkey removes it when the user keeps another one', async () => {
    const { passkeys, passkey, addPasskey, passByPasskey, listPasskeys } = await passkeyHolder(subject())
    await addPasskey({ pass: await passByPasskey(), name: 'Second' })

    const answer = await subject().call('POST', `${passkeys}/${passkey.id}/give-up`, {
      body: { pass: await passByPasskey() },
    })

    expect(answer.status).toBe(200)
    expect(await listPasskeys()).toMatchObject([{ name: 'Second' }])
  })
})

operation('POST /domains/{domainId}/users/{userId}/passkeys/authentication', (subject) => {
  it('starting a ceremony for a user returns what a browser needs to use a passkey of the user', async () => {
    const { startUse, passkey } = await passkeyHolder(subject())

    const { json } = await startUse({ challenge: random128() })

    expect(json).toEqual({
      challenge: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      rpId: rp.id,
      timeout: 300_000,
      userVerification: 'preferred',
      allowCredentials: [{ id: passkey.credentialId, type: 'public-key', transports: ['internal', 'hybrid'] }],
    })
  })
})

operation('POST /domains/{domainId}/passkeys/authentication', (subject) => {
  it('starting a sign-in by passkey returns what a browser needs to use any passkey of the app', async () => {
    const { call, domain } = subject()
    const body = { rp, challenge: random128() }

    const { json } = await call('POST', `/domains/${domain.id}/passkeys/authentication`, { body })

    expect(json).toEqual({
      challenge: expect.stringMatching(/^[A-Za-z0-9_-]{72}$/),
      rpId: rp.id,
      timeout: 300_000,
      userVerification: 'required',
      allowCredentials: [],
    })
  })
})

operation('POST /domains/{domainId}/passkeys/sessions', (subject) => {
  it('a sign-in by passkey returns the user whose passkey has answered, with an approved session', async () => {
    const { call, domain } = subject()
    const { id, username, authenticator, passkey } = await passkeyHolder(subject())
    const started = { rp, challenge: random128() }
    const path = `/domains/${domain.id}/passkeys`
    const { json: options } = await call('POST', `${path}/authentication`, { body: started })

    const body = { ...started, response: authenticator.use(options) }
    const { json } = await call('POST', `${path}/sessions`, { body })

    expect(json).toMatchObject({ state: 'approved', factorId: passkey.id, userVerified: true, user: { id, username } })
  })
})
