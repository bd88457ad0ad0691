import { execFile } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { startDoorService } from '../support/doors/door-service.ts'
import type { DoorService } from '../support/doors/door-service.ts'
import { requirePrograms, show } from '../support/doors/programs.ts'
import { askRadius } from '../support/doors/radius-client.ts'
import type { Attributes, RadiusReply } from '../support/doors/radius-client.ts'
import { startRadius } from '../support/doors/radius-server.ts'
import type { RadiusServer, RadiusSettings } from '../support/doors/radius-server.ts'

let service: DoorService
let servers: Record<'poll' | 'challenge' | 'direct' | 'secondDirect' | 'secondChallenge', RadiusServer>
let people = 0

beforeAll(async () => {
  requirePrograms(
    ['freeradius', 'freeradius'],
    ['/usr/lib/freeradius/rlm_rest.so', 'freeradius-rest'],
    ['radclient', 'freeradius-utils'],
  )
  service = await startDoorService({ type: 'RADIUS', numberMatching: 'offered', requestTimeout: 60 })
  const [poll, challenge, direct, secondDirect, secondChallenge] = await Promise.all([
    startRadius(service, { mode: 'poll' }),
    startRadius(service, { mode: 'challenge' }),
    startRadius(service, { mode: 'direct' }),
    startRadius(service, { mode: 'direct' }),
    startRadius(service, { mode: 'challenge' }),
  ])
  servers = { poll, challenge, direct, secondDirect, secondChallenge }
})
afterAll(async () => {
  await Promise.all(Object.values(servers ?? {}).map((server) => server.close()))
  await service?.close()
})

/** A server of its own for one test. */
async function radius(settings: RadiusSettings, at = service): Promise<RadiusServer> {
  const server = await startRadius(at, settings)
  onTestFinished(() => server.close())
  return server
}

/** A person with a phone, and one login of theirs through a VPN gateway. */
async function login(more: Attributes = {}) {
  const username = `person-${(people += 1)}`
  const { id } = await service.enroll(username)
  const attributes: Attributes = {
    'User-Name': username,
    'NAS-Identifier': 'vpn.example',
    'NAS-Port': 1_000 + people,
    'Calling-Station-Id': '192.0.2.7',
    ...more,
  }
  return { username, id, attributes, pushes: () => service.pushes(id) }
}

const ask = (server: RadiusServer, attributes: Attributes, password = 'pw') =>
  askRadius({ port: server.port, password, attributes })

/** The answer to a question. */
const reply = (server: RadiusServer, attributes: Attributes, question: RadiusReply | undefined, typed = '') =>
  ask(server, { ...attributes, State: question?.state ?? Buffer.alloc(1) }, typed)

const numberIn = (question: RadiusReply | undefined) => /\b(\d\d)\b/.exec(question?.message ?? '')?.[1]

/** As an administrator types it. @returns what radclient prints. */
function radclient(server: RadiusServer, attributes: Readonly<Record<string, string>>): Promise<string> {
  const pairs = Object.entries({ ...attributes, 'Message-Authenticator': '0x00' })
  const args = ['-x', '-t', '28', '-r', '1', `127.0.0.1:${server.port}`, 'auth', 'testing123']
  return new Promise((resolve) => {
    // It exits with 1 after everything but an Access-Accept.
    const child = execFile('radclient', args, (_error, stdout) => resolve(stdout))
    child.stdin?.end(pairs.map(([name, value]) => `${name}=${value}`).join(','))
  })
}

describe('FreeRADIUS with deploy/freeradius', () => {
  it('radclient logs in with a password, a number on the phone and Enter, and gets the attributes with the Accept only', async () => {
    const { username, attributes } = await login()
    const typed = { 'User-Name': username, 'NAS-Identifier': 'vpn.example', 'NAS-Port': String(attributes['NAS-Port']) }

    const question = await radclient(servers.challenge, { ...typed, 'User-Password': 'pw' })
    await service.answer(username, 'approve', /Type (\d\d) on your phone/.exec(question)?.[1])
    const state = /State = (0x[0-9a-f]+)/.exec(question)?.[1] ?? ''
    const accepted = await radclient(servers.challenge, { ...typed, 'User-Password': '""', State: state })

    show(question, accepted)
    expect(question).toMatch(/Received Access-Challenge[\s\S]*then press Enter/)
    expect(question).not.toContain('Filter-Id')
    expect(accepted).toMatch(/Received Access-Accept[\s\S]*Filter-Id = "staff"/)
  })

  it('RADIUS asks nobody after a wrong password', async () => {
    const { attributes, pushes } = await login()

    const answers = await Promise.all(
      [servers.challenge, servers.poll, servers.direct].map((server) => ask(server, attributes, 'wrong')),
    )

    expect(answers.map((answer) => answer?.code)).toEqual(['reject', 'reject', 'reject'])
    expect(pushes()).toBe(0)
  })

  it.each(['challenge', 'poll', 'direct'] as const)('RADIUS in mode %s rejects whom the phone denies', async (mode) => {
    const { username, attributes } = await login()

    const first = ask(servers[mode], attributes)
    if (mode !== 'direct') await first
    await service.answer(username, 'deny')
    const question = await first
    const last = mode === 'direct' ? question : await reply(servers[mode], attributes, question)

    expect(last?.code).toBe('reject')
  })

  it('RADIUS in mode poll answers each question at once, and accepts once the phone has approved', async () => {
    const { username, attributes } = await login()

    const first = await ask(servers.poll, attributes)
    const second = await reply(servers.poll, attributes, first)
    const third = await reply(servers.poll, attributes, second)
    await service.answer(username, 'approve', numberIn(first))
    const last = await reply(servers.poll, attributes, third)

    expect([first, second, third, last].map((answer) => answer?.code)).toEqual([
      'challenge',
      'challenge',
      'challenge',
      'accept',
    ])
  })

  it('RADIUS in mode poll rejects after four questions, and takes the request off the phone', async () => {
    const { username, attributes } = await login()

    let answer = await ask(servers.poll, attributes)
    let questions = 0
    while (answer?.code === 'challenge') {
      questions += 1
      answer = await reply(servers.poll, attributes, answer)
    }

    expect([questions, answer?.code]).toEqual([4, 'reject'])
    expect(await service.pending(username)).toEqual([])
  })

  it('RADIUS in mode direct waits for the phone, no longer than its limit', async () => {
    const server = await radius({ mode: 'direct', wait: 2 })
    const [{ username, attributes }, absent] = [await login(), await login()]

    const waiting = ask(server, attributes)
    await service.answer(username, 'approve')

    expect((await waiting)?.code).toBe('accept')
    expect((await ask(server, absent.attributes))?.code).toBe('reject')
  })

  it('RADIUS accepts a recovery code as the answer to a question once, and takes the request off the phone', async () => {
    const { username, id, attributes } = await login()
    const { code } = await service.client.bypassCodes.create(id, { usesAllowed: 1, expirationTime: 60 })

    const question = await ask(servers.challenge, attributes)
    const wrong = await reply(servers.challenge, attributes, question, '123456789')
    const right = await reply(servers.challenge, attributes, question, code)
    const pending = await service.pending(username)
    const again = await ask(servers.challenge, { ...attributes, 'NAS-Port': 7 })
    const used = await reply(servers.challenge, { ...attributes, 'NAS-Port': 7 }, again, code)

    expect([wrong, right, used].map((answer) => answer?.code)).toEqual(['reject', 'accept', 'reject'])
    expect(pending).toEqual([])
  })

  it('RADIUS in mode direct accepts a code behind the password', async () => {
    const { id, attributes, pushes } = await login()
    const { code } = await service.client.bypassCodes.create(id, { usesAllowed: 1, expirationTime: 60 })

    const answers = [
      await ask(servers.direct, attributes, `wrong,${code}`),
      await ask(servers.direct, attributes, `pw,${code}`),
    ]

    expect(answers.map((answer) => answer?.code)).toEqual(['reject', 'accept'])
    expect(pushes()).toBe(0)
  })

  it('RADIUS asks people without a phone for a code', async () => {
    const username = `person-${(people += 1)}`
    const { id } = await service.addUser(username)
    const { code } = await service.client.bypassCodes.create(id, { usesAllowed: 1, expirationTime: 60 })
    const attributes = { 'User-Name': username, 'NAS-Port': 5 }

    const question = await ask(servers.challenge, attributes)
    const entered = await reply(servers.challenge, attributes, question)
    const accepted = await reply(servers.challenge, attributes, question, code)

    expect(question).toMatchObject({ code: 'challenge', message: 'Type a code: ' })
    expect([entered?.code, accepted?.code]).toEqual(['reject', 'accept'])
  })

  it('RADIUS rejects unknown users and names without a factor, although their password is right', async () => {
    const attributes = { 'User-Name': 'stranger', 'NAS-Port': 5 }

    const question = await ask(servers.challenge, attributes)

    expect((await reply(servers.challenge, attributes, question, '12345678'))?.code).toBe('reject')
    expect((await ask(servers.direct, attributes))?.code).toBe('reject')
  })

  it('RADIUS names EAP, MS-CHAP and CHAP in the log when it rejects them', async () => {
    const server = await radius({ mode: 'challenge' })
    const { username, attributes, pushes } = await login()
    const { port } = server

    const answers = [
      await askRadius({ port, attributes: { ...attributes, 'EAP-Message': Buffer.from([2, 1, 0, 6, 1, 97]) } }),
      await askRadius({ port, attributes: { ...attributes, 'CHAP-Password': Buffer.alloc(17, 1) } }),
    ]
    const mschap = await radclient(server, { 'User-Name': username, 'MS-CHAP-Password': 'pw' })

    expect(answers.map((answer) => answer?.code)).toEqual(['reject', 'reject'])
    expect(mschap).toContain('Received Access-Reject')
    expect(server.log()).toMatch(/EAP is not supported[\s\S]*no password in plain text[\s\S]*MS-CHAP is not supported/)
    expect(pushes()).toBe(0)
  })

  it('RADIUS drops requests without a Message-Authenticator, and every answer has one', async () => {
    const { username, attributes, pushes } = await login()
    const { port } = servers.challenge

    const bare = await askRadius({ port, password: 'pw', attributes, messageAuthenticator: false, timeout: 2_000 })
    const question = await ask(servers.challenge, attributes)
    const wrong = await ask(servers.challenge, attributes, 'wrong')
    await service.answer(username, 'approve', numberIn(question))
    const accepted = await reply(servers.challenge, attributes, question)

    expect([bare, pushes()]).toEqual([undefined, 1])
    const answers = [question, wrong, accepted].map((answer) => [answer?.code, answer?.authenticated])
    expect(answers).toEqual([
      ['challenge', true],
      ['reject', true],
      ['accept', true],
    ])
  })

  it('RADIUS accepts nobody while the service is down or its certificate is another', async () => {
    const own = await startDoorService({ type: 'RADIUS' })
    onTestFinished(() => own.close())
    const user = await own.enroll('alice')
    const attributes = { 'User-Name': 'alice', 'NAS-Port': 1 }
    const stranger = await radius(
      { mode: 'challenge', change: (text) => text.replace(own.caFile, service.caFile) },
      own,
    )
    const server = await radius({ mode: 'challenge' }, own)

    const mistrusted = await ask(stranger, attributes)
    const question = await ask(server, attributes)
    await own.stop()
    const down = await ask(server, { ...attributes, 'NAS-Port': 2 })
    const answered = await reply(server, attributes, question)

    expect([mistrusted, question, down, answered].map((answer) => answer?.code)).toEqual([
      'reject',
      'challenge',
      'reject',
      'reject',
    ])
    expect(own.pushes(user.id)).toBe(1)
    expect(server.log()).toContain('second factor: down')
  })

  it('RADIUS asks nobody while its state_secret is too short to sign with', async () => {
    const { attributes, pushes } = await login()
    const server = await radius({ mode: 'challenge', change: (text) => text.replace('f00d'.repeat(16), 'f00d') })

    const answer = await ask(server, attributes)

    expect([answer?.code, pushes()]).toEqual(['reject', 0])
    expect(server.log()).toContain('state_secret is missing, or shorter than 32 characters')
  })

  it('RADIUS accepts nobody whose password was checked by a line that does not ask for the second factor', async () => {
    const { attributes } = await login()
    const server = await radius({
      mode: 'challenge',
      change: (text, path) =>
        path.startsWith('sites')
          ? text.replace('pap\n\t\t\tif (ok) {\n\t\t\t\tsecond_factor_ask\n\t\t\t}', 'pap')
          : text,
    })

    const answer = await ask(server, attributes)

    expect(answer?.code).toBe('reject')
    expect(server.log()).toContain('nothing has asked for the second factor')
  })

  it.each([
    ['spaces', 'Ann Lee'],
    ['quotes', `o'neil "the boss"`],
    ['JSON', 'x"},"otp":"1","user":{"username":"admin'],
    ['a backslash', 'CORP\\ann\\"'],
    ['expansions', '%{config:second_factor.api_key}%{exec:/bin/true}'],
    ['an expansion that has no end', '%{User-Name'],
    ['slashes', '../../users/1?x=1#y'],
    ['Unicode', 'Zoë 王 😀'],
    ['Unicode and quotes', 'Zoë "王\\"'],
    ['128 characters', 'a'.repeat(128)],
  ])('RADIUS sends a username with %s to the service as it is', async (_what, username) => {
    const { id } = await service.enroll(username)
    const attributes = { 'User-Name': username, 'NAS-Identifier': `vpn "${username.slice(0, 20)}`, 'NAS-Port': 9 }
    const before = service.calls.length

    const question = await ask(servers.challenge, attributes)
    await service.answer(username, 'approve', numberIn(question))
    const accepted = await reply(servers.challenge, attributes, question)

    const [created] = service.calls.slice(before)
    expect(JSON.parse(created?.body ?? '')).toMatchObject({ user: { username } })
    expect([question?.code, accepted?.code, service.pushes(id)]).toEqual(['challenge', 'accept', 1])
  })

  it.each([
    ['200 characters', 'b'.repeat(200)],
    ['a line break', 'ann\nlee'],
    ['a zero byte', 'ann\0'],
  ])('RADIUS accepts no username with %s', async (_what, username) => {
    const attributes = { 'User-Name': username, 'NAS-Port': 9 }

    const question = await ask(servers.challenge, attributes)
    const last =
      question?.code === 'challenge' ? await reply(servers.challenge, attributes, question, '123456') : question

    expect(last?.code).toBe('reject')
  })
})

describe('an attempt to log in', () => {
  it('ten repetitions of one login, each with a new id and authenticator, at two servers, reach the phone once', async () => {
    const { username, attributes, pushes } = await login()
    const { direct, secondDirect } = servers

    const repetitions = Array.from({ length: 10 }, async (_, index) => {
      await pause(index * 100)
      return ask(index % 2 ? direct : secondDirect, attributes)
    })
    await pause(600)
    await service.answer(username, 'approve')
    const answers = await Promise.all(repetitions)

    show(`direct: ${answers.length} requests for one login, ${pushes()} push`)
    expect(answers.map((answer) => answer?.code)).toEqual(Array.from({ length: 10 }, () => 'accept'))
    expect(pushes()).toBe(1)
  })

  it('any of two servers continues what the other began', async () => {
    const { username, attributes, pushes } = await login()
    const { challenge, secondChallenge } = servers

    const question = await ask(challenge, attributes)
    const repeated = await ask(secondChallenge, attributes)
    await service.answer(username, 'approve', numberIn(question))
    const answers = [await reply(secondChallenge, attributes, question), await reply(challenge, attributes, repeated)]

    expect(numberIn(repeated)).toBe(numberIn(question))
    expect(answers.map((answer) => answer?.code)).toEqual(['accept', 'accept'])
    expect(pushes()).toBe(1)
  })

  it('200 logins with repetitions at two servers reach each phone once', async () => {
    const logins: Awaited<ReturnType<typeof login>>[] = []
    for (let count = 0; count < 200; count += 1) logins.push(await login())
    const { direct, secondDirect, challenge, secondChallenge } = servers
    let packets = 0
    const outcomes: (string | undefined)[] = []

    async function directLogin({ username, attributes }: (typeof logins)[number], index: number) {
      // The phone answers at any moment between two repetitions.
      const answered = pause(200 + ((index * 37) % 700)).then(() => service.answer(username, 'approve'))
      const sent = []
      for (let attempt = 0; attempt < 4; attempt += 1) {
        packets += 1
        sent.push(ask(attempt % 2 ? secondDirect : direct, attributes))
        await pause(250)
      }
      await answered
      const answers = await Promise.all(sent)
      outcomes.push(answers.every((answer) => answer?.code === 'accept') ? 'accept' : 'reject')
    }

    async function challengeLogin({ username, attributes }: (typeof logins)[number]) {
      packets += 6
      const [question] = await Promise.all([
        ask(challenge, attributes),
        ask(secondChallenge, attributes),
        ask(challenge, attributes),
      ])
      await service.answer(username, 'approve', numberIn(question))
      const answers = await Promise.all(
        [challenge, secondChallenge, challenge].map((server) => reply(server, attributes, question)),
      )
      outcomes.push(answers.every((answer) => answer?.code === 'accept') ? 'accept' : 'reject')
    }

    const queue = logins.map((each, index) => () => (index % 2 ? directLogin(each, index) : challengeLogin(each)))
    await Promise.all(
      Array.from({ length: 5 }, async () => {
        for (let next = queue.shift(); next; next = queue.shift()) await next()
      }),
    )

    const pushes = logins.map((each) => each.pushes())
    const double = pushes.filter((count) => count > 1).length
    show(
      `${logins.length} logins, ${packets} requests, ${pushes.reduce((sum, count) => sum + count)} pushes, ${double} double`,
    )
    expect([double, Math.min(...pushes)]).toEqual([0, 1])
    expect(outcomes.filter((outcome) => outcome === 'accept')).toHaveLength(200)
  })
})

describe('a second attempt to log in', () => {
  it.each([
    ['another port', { 'NAS-Port': 77 }],
    ['another address', { 'Calling-Station-Id': '198.51.100.9' }],
    ['another gateway', { 'NAS-Identifier': 'other.example' }],
    ['another accounting session', { 'Acct-Session-Id': 'b' }],
  ])('a login from %s gets a request of its own, and nothing from the approval of the first', async (_what, other) => {
    const { username, attributes, pushes } = await login({ 'Acct-Session-Id': 'a' })
    const attacker = { ...attributes, ...other }

    const question = await ask(servers.challenge, attributes)
    const stolen = await ask(servers.challenge, attacker)
    const [newest, oldest] = await service.pending(username)
    expect(newest?.id).not.toBe(oldest?.id)
    await service.answer(username, 'deny')
    await service.answer(username, 'approve', numberIn(question))
    const answers = [
      // With its own State, and with that of the first.
      await reply(servers.challenge, attacker, stolen),
      await reply(servers.challenge, attacker, question),
      await reply(servers.challenge, attributes, question),
    ]

    expect(answers.map((answer) => answer?.code)).toEqual(['reject', 'reject', 'accept'])
    expect(pushes()).toBe(2)
  })

  it('two equal requests of a client without ports are two logins', async () => {
    const { username, attributes, pushes } = await login()
    const { 'NAS-Port': _port, ...portless } = attributes

    const question = await ask(servers.challenge, portless)
    await service.answer(username, 'approve', numberIn(question))
    const stolen = await ask(servers.challenge, portless)
    await service.answer(username, 'deny')
    const answers = [
      await reply(servers.challenge, portless, stolen),
      await reply(servers.challenge, portless, question),
    ]

    expect(answers.map((answer) => answer?.code)).toEqual(['reject', 'accept'])
    expect(pushes()).toBe(2)
  })

  it('a login on the same port after the first one is asked again, whether the first approval was used or not', async () => {
    const { username, attributes, pushes } = await login()
    const unused = await login()

    const first = ask(servers.direct, attributes)
    await service.answer(username, 'approve')
    const [accepted] = [await first, await ask(servers.challenge, unused.attributes)]
    await service.client.sessions
      .get(service.domainId, (await service.pending(unused.username))[0]?.id ?? '')
      .then(({ number }) => service.answer(unused.username, 'approve', number))
    await pause(7_000)
    const second = ask(servers.direct, attributes)
    await service.answer(username, 'deny')
    const joined = await ask(servers.secondChallenge, unused.attributes)
    const stolen = reply(servers.secondChallenge, unused.attributes, joined)
    await service.answer(unused.username, 'deny')

    expect([accepted?.code, (await second)?.code, (await stolen)?.code]).toEqual(['accept', 'reject', 'reject'])
    expect([pushes(), unused.pushes()]).toEqual([2, 2])
  })

  it('a code that was used counts for repetitions of its own login alone, for five seconds', async () => {
    const [direct, asked] = [await login(), await login()]
    const codes = await Promise.all(
      [direct, asked].map(({ id }) => service.client.bypassCodes.create(id, { usesAllowed: 1, expirationTime: 60 })),
    )
    const question = await ask(servers.challenge, asked.attributes)
    const both = () =>
      Promise.all([
        ask(servers.direct, direct.attributes, `pw,${codes[0]?.code}`),
        reply(servers.secondChallenge, asked.attributes, question, codes[1]?.code),
      ])

    const [first, repeated] = [await both(), await both()]
    await pause(7_000)
    const later = await both()

    const outcomes = [first, repeated, later].map((answers) => answers.map((answer) => answer?.code))
    expect(outcomes).toEqual([
      ['accept', 'accept'],
      ['accept', 'accept'],
      ['reject', 'reject'],
    ])
  })

  it('a State that was changed, is too old or belongs to somebody else is worth nothing', async () => {
    const [{ username, attributes }, other] = [await login(), await login()]
    const question = await ask(servers.challenge, attributes)
    const theirs = await ask(servers.challenge, { ...other.attributes, 'NAS-Port': attributes['NAS-Port'] ?? 0 })
    await service.answer(username, 'approve', numberIn(question))
    const text = question?.state?.toString() ?? ''
    const [session = '', otherSession = ''] = [question, theirs].map((each) => each?.state?.toString().split(':')[1])
    const forged = [
      text.replace(/:1:/, ':0:'),
      text.replace(/:(\d{10}):/, (_all, end: string) => `:${Number(end) + 1_000}:`),
      text.slice(0, -1),
      'sf1',
      theirs?.state?.toString().replace(otherSession, session) ?? '',
    ]

    const codes = []
    for (const state of forged) {
      codes.push((await ask(servers.challenge, { ...attributes, State: Buffer.from(state) }, ''))?.code)
    }
    const asOther = await reply(servers.challenge, { ...attributes, 'User-Name': other.username }, question)

    expect([...codes, asOther?.code]).toEqual(Array.from({ length: 6 }, () => 'reject'))
    expect((await reply(servers.challenge, attributes, question))?.code).toBe('accept')
  })
})
