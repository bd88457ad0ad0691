import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { inFullRun } from '../../support/full-run.ts'
import { useDatabase } from './run-command.ts'

const { place, admin, json } = useDatabase()

const callback = 'https://wiki.example.com/callback'
const adding = [
  'oidc',
  'client',
  'add',
  'Wiki',
  '--domain',
  'Intranet',
  '--kind',
  'sign-in',
  '--redirect-uri',
  callback,
]

describe('second-factor oidc', () => {
  it('second-factor oidc client shows a secret only when it is made', async () => {
    const added = await json(...adding)
    const listed = await admin('oidc', 'client', 'list')
    const rotated = await json('oidc', 'client', 'secret', 'Wiki', '--keep-old', '24')

    expect(added).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{40}$/),
      clientSecret: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      redirectUris: [callback],
      scopes: [],
    })
    expect(listed.stdout).toContain(added.id)
    expect(listed.stdout + (await admin('oidc', 'client', 'show', 'Wiki')).stdout).not.toContain(added.clientSecret)
    expect(rotated.clientSecret).not.toBe(added.clientSecret)
    expect(rotated.formerSecretUntil).toEqual(expect.any(Number))
    await admin('oidc', 'client', 'remove', 'Wiki', '--yes')
  })

  inFullRun('second-factor oidc client set changes what it names, and remove asks first', async () => {
    const { id } = await json(...adding)
    const jwks = join(dirname(place.database), 'jwks.json')
    const key = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
    writeFileSync(jwks, JSON.stringify({ keys: [key] }))

    const more = ['--scope', 'email', '--jwks', jwks, '--authentication', 'private_key_jwt', '--refresh-tokens', 'on']
    more.push('--pkce', 'nonce')
    const changed = await json('oidc', 'client', 'set', 'Wiki', '--name', 'Handbook', ...more)
    const unasked = await admin('oidc', 'client', 'remove', id.slice(0, 10))

    expect(changed).toMatchObject({
      name: 'Handbook',
      scopes: ['email'],
      jwks: { keys: [key] },
      refreshTokens: true,
      pkce: 'nonce',
      secret: false,
    })
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('add --yes')])
    expect((await admin('oidc', 'client', 'remove', id.slice(0, 10), '--yes')).code).toBe(0)
    expect(await json('oidc', 'client', 'list', '--domain', 'Intranet')).toEqual([])
  })

  inFullRun('second-factor oidc client says which option is wrong', async () => {
    const address = await admin(...adding.slice(0, -1), 'http://wiki.example.com')
    const keys = join(dirname(place.database), 'private.json')
    const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
    writeFileSync(keys, JSON.stringify({ keys: [jwk] }))
    const secret = await admin(...adding, '--jwks', keys)

    expect([address.code, address.stderr]).toEqual([2, expect.stringMatching(/expected an https address/)])
    expect([secret.code, secret.stderr]).toEqual([2, expect.stringMatching(/private part/)])
    expect(secret.stderr).not.toContain(jwk.d)
  })

  inFullRun('second-factor oidc keys publishes the next key, and replaces all after a question', async () => {
    expect((await admin('oidc', 'keys', 'list')).stdout).toContain('No keys yet')
    expect(await json('oidc', 'keys', 'rotate')).toEqual({ published: true })
    expect(await json('oidc', 'keys', 'rotate')).toEqual({ published: true })
    expect(await json('oidc', 'keys', 'rotate')).toEqual({ published: false })
    const before = await json('oidc', 'keys', 'list')
    expect(before.map(({ state }: { state: string }) => state)).toEqual(['signing', 'next'])

    expect((await admin('oidc', 'keys', 'rotate', '--replace')).code).toBe(2)
    expect(await json('oidc', 'keys', 'rotate', '--replace', '--yes')).toEqual({ replaced: 2 })

    expect((await json('oidc', 'keys', 'list')).map(({ state }: { state: string }) => state)).toEqual(['signing'])
  })

  inFullRun(
    'second-factor oidc client tells a client of kind ciba of answers where it wants to be told, until none is set',
    async () => {
      const endpoint = 'https://center.example/answered'
      const kind = ['--domain', 'Intranet', '--kind', 'ciba']
      const added = await json('oidc', 'client', 'add', 'Center', ...kind, '--notification-endpoint', endpoint)
      const shown = await admin('oidc', 'client', 'show', 'Center')
      const both = await json('oidc', 'client', 'set', 'Center', '--shows-number', 'on')
      const without = await json('oidc', 'client', 'set', 'Center', '--notification-endpoint', 'none')
      const wrong = await admin('oidc', 'client', 'set', 'Center', '--notification-endpoint', 'http://center.example/')
      await admin('oidc', 'client', 'remove', 'Center', '--yes')

      expect(added.ciba).toEqual({ showsNumber: false, notificationEndpoint: endpoint })
      expect(shown.stdout).toContain(endpoint)
      expect(both.ciba).toEqual({ showsNumber: true, notificationEndpoint: endpoint })
      expect(without.ciba).toEqual({ showsNumber: true, notificationEndpoint: null })
      expect(wrong.stderr).toContain('ciba.notificationEndpoint')
    },
  )
})
