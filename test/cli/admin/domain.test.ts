import { describe, expect, it } from 'vitest'

import { describeInFullRun, inFullRun } from '../../support/full-run.ts'
import { run, useDatabase } from './run-command.ts'

const { place, admin, json } = useDatabase()

describe('second-factor domain', () => {
  it('second-factor domain creates a domain with safe defaults, or with the rules in the options', async () => {
    const plain = await json('domain', 'create', 'Plain')
    const rules = [
      '--type RADIUS --request-timeout 600 --bypass-enabled off --key-type NONE --email-otp-enabled on',
      '--activation-code-expiration 365 --max-allowed-retries 20 --request-polling-enabled off',
      '--number-matching required',
    ].flatMap((line) => line.split(' '))
    const other = await json('domain', 'create', 'VPN', ...rules)

    expect(plain).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{40}$/),
      name: 'Plain',
      type: 'WEB',
      keyType: 'NONE',
      maxAllowedRetries: 5,
      requestTimeout: 90,
      activationCodeExpiration: 7,
      requestPollingEnabled: true,
      bypassEnabled: true,
      emailOtpEnabled: false,
      numberMatching: 'offered',
      phishingResistant: 'off',
      synchronizationVersion: 0,
    })
    expect(other).toMatchObject({
      type: 'RADIUS',
      requestTimeout: 600,
      activationCodeExpiration: 365,
      maxAllowedRetries: 20,
      requestPollingEnabled: false,
      bypassEnabled: false,
      emailOtpEnabled: true,
      numberMatching: 'required',
    })
  })

  inFullRun.each(['RADIUS', 'PAM'])(
    'second-factor domain says that clients of %s which show no number are denied by such a rule',
    async (type) => {
      await admin('domain', 'create', 'Door', '--type', type)

      const warned = await admin('domain', 'set', 'Door', '--number-matching', 'required')
      const silent = await admin('domain', 'set', 'Door', '--number-matching', 'offered')

      expect(warned.stderr).toContain('To let them ask: --number-matching offered')
      expect(silent.stderr).toBe('')
    },
  )

  inFullRun('second-factor domain lists domains by name, one per line', async () => {
    await admin('domain', 'create', 'Archive')

    const { stdout } = await admin('domain', 'list')
    const listed = await json('domain', 'list')

    expect(stdout).toBe(
      [
        'Name      Type  Timeout  Id',
        `Archive   WEB   90 s     ${listed[0].id}`,
        `Intranet  WEB   90 s     ${place.domainId}`,
        '',
      ].join('\n'),
    )
    expect(listed.map((domain: { name: string }) => domain.name)).toEqual(['Archive', 'Intranet'])
  })

  inFullRun.each([
    ['its name', () => 'Intranet'],
    ['its name in another case', () => 'INTRANET'],
    ['its id', () => place.domainId],
    ['the beginning of its id', () => place.domainId.slice(0, 8)],
  ])('second-factor domain finds a domain by %s', async (_by, identifier) => {
    const { stdout, code } = await admin('domain', 'show', identifier())

    expect(code).toBe(0)
    expect(stdout).toContain(`Name              Intranet\nId                ${place.domainId}\n`)
  })

  inFullRun('second-factor domain does not guess between domains whose names differ only in case', async () => {
    await admin('domain', 'create', 'INTRANET')

    const exact = await json('domain', 'show', 'Intranet')
    const ambiguous = await admin('domain', 'show', 'intranet')

    expect(exact.id).toBe(place.domainId)
    expect(ambiguous.code).toBe(2)
    expect(ambiguous.stderr).toContain('matches more than one domain')
    expect(ambiguous.stderr).toContain(place.domainId)
  })

  inFullRun('second-factor domain says what to do when the domain does not exist', async () => {
    const { stderr, code } = await admin('domain', 'show', 'Extra\u001b[31mnet')

    expect(code).toBe(1)
    expect(stderr).toBe('No domain "Extra\ufffd[31mnet". See: second-factor domain list\n')
  })

  inFullRun('second-factor domain set changes only the rules in the options', async () => {
    const domainBefore = await json('domain', 'show', 'Intranet')

    const domainAfter = await json('domain', 'set', 'Intranet', '--name', 'Staff', '--email-otp-enabled', 'on')

    expect(domainAfter).toEqual({ ...domainBefore, name: 'Staff', emailOtpEnabled: true })
    expect(await json('domain', 'show', 'Staff')).toEqual(domainAfter)
  })

  inFullRun(
    'second-factor domain rejects the name of another domain, but accepts a domain’s own name in another case',
    async () => {
      await admin('domain', 'create', 'VPN')

      const taken = await admin('domain', 'set', 'VPN', '--name', 'Intranet')
      const created = await admin('domain', 'create', 'VPN')
      const own = await admin('domain', 'set', 'VPN', '--name', 'vpn')

      expect([taken.code, created.code, own.code]).toEqual([1, 1, 0])
      expect(taken.stderr).toBe('A domain named "Intranet" already exists. Choose another name.\n')
    },
  )

  inFullRun.each(['PIN', 'PASSCODE'])(
    'second-factor domain creates and changes domains with keys of type %s',
    async (type) => {
      const created = await admin('domain', 'create', 'VPN', '--key-type', type)
      const set = await admin('domain', 'set', 'Intranet', '--key-type', type)

      expect([created.code, set.code]).toEqual([0, 0])
      expect(await json('domain', 'list')).toMatchObject([
        { name: 'Intranet', keyType: type },
        { name: 'VPN', keyType: type },
      ])
    },
  )

  inFullRun.each([
    ['--request-timeout', '9'],
    ['--request-timeout', '601'],
    ['--request-timeout', '1.5'],
    ['--activation-code-expiration', '0'],
    ['--activation-code-expiration', '366'],
    ['--max-allowed-retries', '0'],
    ['--max-allowed-retries', '21'],
    ['--type', 'LDAP'],
    ['--number-matching', 'on'],
    ['--bypass-enabled', 'yes'],
    ['--name', ''],
    ['--name', 'x'.repeat(129)],
  ])('second-factor domain set rejects %s %s', async (option, value) => {
    const { stderr, code } = await admin('domain', 'set', 'Intranet', option, value)

    expect(code).toBe(2)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })

  inFullRun('second-factor domain set requires passkeys for a domain, and shows it', async () => {
    const { stdout } = await admin('domain', 'set', 'Intranet', '--phishing-resistant', 'require')

    expect(stdout).toContain('Only passkeys     require\n')
    expect(await json('domain', 'show', 'Intranet')).toMatchObject({ phishingResistant: 'require' })
  })

  it.each([
    ['require', 'RADIUS'],
    ['require', 'PAM'],
    ['prefer', 'RADIUS'],
    ['prefer', 'PAM'],
  ])('a domain refuses passkeys (%s) for type %s, whichever of the two is set last', async (policy, type) => {
    const rules = ['--phishing-resistant', policy, '--type', type]
    await admin('domain', 'create', 'Old', '--type', type)
    await admin('domain', 'create', 'Web', '--phishing-resistant', policy)

    const answers = [
      await admin('domain', 'create', 'VPN', ...rules),
      await admin('domain', 'set', 'Old', '--phishing-resistant', policy),
      await admin('domain', 'set', 'Web', '--type', type),
      await run('init', '--database', place.database, '--organization', 'Other', ...rules),
    ]

    expect(answers.map(({ code }) => code)).toEqual([1, 1, 1, 1])
    for (const { stderr } of answers) {
      expect(stderr).toContain(`A domain of type ${type} cannot be phishing-resistant (${policy}), because`)
    }
    expect((await json('domain', 'list')).map(({ name }: { name: string }) => name)).toEqual(['Intranet', 'Old', 'Web'])
  })

  inFullRun('second-factor domain set fails without an option', async () => {
    expect((await admin('domain', 'set', 'Intranet')).code).toBe(2)
  })
})

describeInFullRun('second-factor init', () => {
  it('second-factor init creates a domain that requires passkeys', async () => {
    const rules = ['--organization', 'Other', '--phishing-resistant', 'require', '--type', 'OTHER']
    await run('init', '--database', place.database, ...rules)

    const [domain] = await json('domain', 'list', '--organization', 'Other')

    expect(domain).toMatchObject({ phishingResistant: 'require', type: 'OTHER' })
  })
})

describeInFullRun('an organization', () => {
  it('an organization must be named when there are several, and does not see domains of the others', async () => {
    await run('init', '--database', place.database, '--organization', 'Other', '--domain', 'Shop')

    const unnamed = await admin('domain', 'list')
    const unknown = await admin('domain', 'list', '--organization', 'None')
    const other = await json('domain', 'list', '--organization', 'Other')
    const foreign = await admin('domain', 'show', place.domainId, '--organization', 'Other')

    expect([unnamed.code, unknown.code, foreign.code]).toEqual([2, 1, 1])
    expect(unnamed.stderr).toContain('--organization with one of: "Organization", "Other"')
    expect(other).toMatchObject([{ name: 'Shop' }])
  })
})

describe('the database', () => {
  inFullRun('a command requires a database, which can come from the environment', async () => {
    const without = await run('domain', 'list')
    process.env.MFA_DATABASE = place.database
    const within = await run('domain', 'list').finally(() => delete process.env.MFA_DATABASE)

    expect([without.code, within.code]).toEqual([2, 0])
  })

  it('a missing database is not created by a command that reads it', async () => {
    const { stderr, code } = await run('domain', 'list', '--database', `${place.folder}/none.sqlite`)

    expect(code).toBe(1)
    expect(stderr).toContain('second-factor init')
  })
})
