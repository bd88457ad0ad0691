import { writeFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'

import { decodeQR } from 'qr/decode.js'
import { describe, expect, it, onTestFinished } from 'vitest'

import { describeInFullRun, inFullRun } from '../../support/full-run.ts'
import { useDatabase } from './run-command.ts'

const { file, admin, json } = useDatabase()

const csv = (...rows: string[]) => {
  writeFileSync(file('users.csv'), rows.join('\r\n'))
  return file('users.csv')
}
const importing = (path: string, ...more: string[]) => admin('user', 'import', path, '--domain', 'Intranet', ...more)
const usernames = async (...more: string[]) =>
  (await json('user', 'list', ...more)).map(({ username }: { username: string }) => username)

describe('second-factor user import', () => {
  inFullRun('second-factor user import imports the users of a file into a domain', async () => {
    const path = csv(
      'username,name,email',
      'alice,"Doe, Alice",alice@example.com',
      'bob,,',
      'carol,Carol,c@example.com',
    )

    const { stdout, stderr, code } = await importing(path)

    expect([stdout, stderr, code]).toEqual(['3 users imported.\n', '', 0])
    expect(await json('user', 'list', '--domain', 'Intranet')).toMatchObject([
      { username: 'alice', name: 'Doe, Alice', email: 'alice@example.com', factors: [] },
      { username: 'bob', name: 'bob', email: '' },
      { username: 'carol' },
    ])
  })

  inFullRun.each([
    ['without a header', ['alice,Alice,a@example.com']],
    ['with columns in another order, and others', ['E-Mail,department,Username,Name', 'a@example.com,IT,alice,Alice']],
    ['with semicolons', ['username;name;email', 'alice;Alice;a@example.com']],
    ['with a line that names the separator', ['sep=\t', 'username\tname\temail', 'alice\tAlice\ta@example.com']],
    ['with other names of the columns', ['mail,displayName,Login', 'a@example.com,Alice,alice']],
    ['with a byte order mark', ['\uFEFFusername,name,email', 'alice,Alice,a@example.com']],
    [
      'with a row that is there twice',
      ['username,name,email', 'alice,Alice,a@example.com', 'alice,Alice,a@example.com'],
    ],
  ])('second-factor user import reads a file %s', async (_, rows) => {
    expect((await importing(csv(...rows))).stdout).toMatch(/^(?:Ignored columns: "department"\n)?1 user imported\.\n$/)
    expect(await json('user', 'show', 'alice')).toMatchObject({ name: 'Alice', email: 'a@example.com' })
  })

  inFullRun(
    'second-factor user import imports nothing when rows are rejected, and names each line and reason',
    async () => {
      const path = csv(
        'username,name,email',
        'alice,Alice,alice@example.com',
        'bob,Bob,bob',
        ',Nobody,nobody@example.com',
        'carol,Carol',
        'alice,Other,alice@example.com',
        'dave,"Da"ve,d@example.com',
      )

      const { stdout, code } = await importing(path)

      expect(code).toBe(1)
      expect(stdout.split('\n')).toEqual([
        'Line 3: email: must be an e-mail address such as alice@example.com',
        'Line 4: username: must have 1 to 128 characters',
        'Line 5: expected 3 fields, got 2',
        'Line 6: line 2 has the same username, with another name or email',
        'Line 7: text after a closing quote',
        'Nothing was imported, 5 rows rejected. Correct the file, or import the others with --skip-rejected.',
        '',
      ])
      expect(await usernames()).toEqual([])
    },
  )

  inFullRun('second-factor user import imports the valid rows with --skip-rejected', async () => {
    const { json: report, code } = await importing(
      csv('alice,Alice,alice@example.com', 'bob,Bob,bob'),
      '--skip-rejected',
      '--json',
    )

    expect(code).toBe(0)
    expect(report).toEqual({
      imported: 1,
      acceptable: 1,
      present: 0,
      rejectedRows: 1,
      rejected: [{ line: 2, reason: expect.stringContaining('email') }],
      dryRun: false,
    })
    expect(await usernames()).toEqual(['alice'])
  })

  inFullRun('second-factor user import changes nothing in a dry run', async () => {
    const { stdout, code } = await importing(csv('alice,Alice,alice@example.com'), '--dry-run')

    expect([stdout, code]).toEqual(['1 user can be imported. Nothing was changed.\n', 0])
    expect(await usernames()).toEqual([])
  })

  inFullRun(
    'second-factor user import adds existing users to the domain, and keeps members who are not in the file',
    async () => {
      await admin('domain', 'create', 'Extranet')
      await importing(csv('alice,Alice,alice@example.com', 'bob,Bob,bob@example.com'))

      const path = csv('alice,Alice,alice@example.com', 'carol,Carol,carol@example.com')
      const extranet = await admin('user', 'import', path, '--domain', 'Extranet')
      const secondImport = await importing(path)

      expect(extranet.stdout).toBe('2 users imported (1 already existed).\n')
      expect(secondImport.stdout).toBe('2 users imported (2 already existed).\n')
      expect(await usernames('--domain', 'Intranet')).toEqual(['alice', 'bob', 'carol'])
      expect(await usernames('--domain', 'Extranet')).toEqual(['alice', 'carol'])
    },
  )

  inFullRun('second-factor user import changes names and addresses of existing users only with --update', async () => {
    await importing(csv('alice,Alice,alice@example.com'))
    const path = csv('alice,Alice Doe,doe@example.com')

    const refused = await importing(path)
    const userBefore = await json('user', 'show', 'alice')
    const { stdout } = await importing(path, '--update')

    expect(refused.stdout).toContain('Line 1: the user is there already, with another name or e-mail address')
    expect([refused.code, userBefore.name]).toEqual([1, 'Alice'])
    expect(stdout).toBe('1 user imported (1 already existed).\n')
    expect(await json('user', 'show', 'alice')).toMatchObject({ name: 'Alice Doe', email: 'doe@example.com' })
  })

  it.each([
    ['empty', '', 'contains no users', 1],
    ['of LDIF', 'dn: uid=alice,dc=example\nuid: alice\n', 'The file is LDIF', 1],
    [
      'with the address twice',
      'username,email,email\nalice,old@example.com,new@example.com',
      'The columns "email" and "email" mean the same',
      1,
    ],
    [
      'without a known column of usernames',
      'mail,displayName,userPrincipalName\na@example.com,Alice,alice@corp.example.com',
      'The first line has "mail", "displayName", "userPrincipalName". Name the column with --username-column',
      2,
    ],
    ['of unknown columns', 'Kennung,Anzeige,Adresse\nalice,Alice,a@example.com', 'The first line has "Kennung"', 2],
    ['of one column', 'alice\nbob', 'The first line has "alice"', 2],
  ])('second-factor user import says what to do with a file %s', async (_, text, advice, exit) => {
    writeFileSync(file('users.csv'), text)

    const { stderr, code } = await importing(file('users.csv'))

    expect([code, stderr]).toEqual([exit, expect.stringContaining(advice)])
    expect(await usernames()).toEqual([])
  })

  inFullRun('second-factor user import takes the usernames from the column that --username-column names', async () => {
    const path = csv('mail,displayName,userPrincipalName,Office', 'alias@example.com,Swap One,swap1@corp.example.com,7')

    const { stdout } = await importing(path, '--username-column', 'userprincipalname')

    expect(stdout).toBe('Ignored columns: "Office"\n1 user imported.\n')
    expect(await json('user', 'list')).toMatchObject([
      { username: 'swap1@corp.example.com', name: 'Swap One', email: 'alias@example.com' },
    ])
  })

  it('second-factor user import takes no other column than the one that --username-column names', async () => {
    const path = csv('userId,userPrincipalName,mail', 'a1,alice@corp.example.com,a@example.com')

    const misspelled = await importing(path, '--username-column', 'userPrincipleName')
    const right = await importing(path, '--username-column', 'userPrincipalName')

    expect([misspelled.code, misspelled.stderr]).toEqual([2, expect.stringContaining('named userPrincipleName')])
    expect(right.stdout).toBe('Ignored columns: "userId"\n1 user imported.\n')
    expect(await usernames()).toEqual(['alice@corp.example.com'])
  })

  it('second-factor user import says what to do with a file in another encoding than UTF-8', async () => {
    writeFileSync(file('users.csv'), Buffer.from('bjorn,Bj\u00f6rn,b@example.com', 'latin1'))

    expect((await importing(file('users.csv'))).stderr).toContain('UTF-8')
  })
})

describeInFullRun('second-factor user list --without-factor', () => {
  it('second-factor user list --without-factor lists users without a factor', async () => {
    await importing(csv('alice,Alice,a@example.com', 'bob,Bob,b@example.com'))
    const withoutFactor = await usernames('--without-factor')
    await admin('bypass', 'create', 'alice')

    expect(withoutFactor).toEqual(['alice', 'bob'])
    expect(await usernames('--without-factor', '--domain', 'Intranet')).toEqual(['bob'])
    expect((await admin('user', 'list', '--without-factor')).stdout).toMatch(/^Username.*\nbob .*\n$/)
  })
})

/** Reads a QR code of half blocks, whose light parts are drawn. */
function scan(image: string): string {
  const lines = image.trimEnd().split('\n')
  const [width, scale] = [Math.max(...lines.map((line) => line.length)), 4]
  const isLight = (x: number, y: number) => {
    const character = lines[Math.floor(y / 2)]?.[x] ?? ' '
    return character === '█' || character === (y % 2 === 0 ? '▀' : '▄')
  }
  const [columns, rows] = [width * scale, lines.length * 2 * scale]
  const data = new Uint8Array(columns * rows * 3)
  for (let index = 0; index < columns * rows; index += 1) {
    const light = isLight(Math.floor((index % columns) / scale), Math.floor(index / columns / scale))
    data.fill(light ? 255 : 0, index * 3, index * 3 + 3)
  }
  return decodeQR({ width: columns, height: rows, data })
}

describe('second-factor token issue', () => {
  inFullRun.each(['https://mfa.example', 'https://mfa.example/', 'https://mfa.example/authenticator'])(
    'second-factor token issue prints a link for %s, and a QR code of it on a terminal',
    async (address) => {
      await importing(csv('alice,Alice,a@example.com'))
      const { isTTY } = process.stdout
      onTestFinished(() => void (process.stdout.isTTY = isTTY))
      const issue = () => admin('token', 'issue', 'alice', '--domain', 'Intranet', '--authenticator-url', address)
      process.stdout.isTTY = false
      const piped = await issue()
      process.stdout.isTTY = true
      const { stdout } = await issue()

      const [, code] = /Activation code *(\w{10})/.exec(stripVTControlCharacters(stdout)) ?? []
      const [facts = '', image = ''] = stripVTControlCharacters(stdout).split('\n\n')
      expect(facts).toContain(`https://mfa.example/authenticator/#code=${code}`)
      expect(scan(image)).toBe(`https://mfa.example/authenticator/#code=${code}`)
      // Below the facts on a terminal of 24 lines.
      expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(24)
      expect(piped.stdout).not.toContain('█')
    },
  )

  inFullRun('second-factor token issue adds the link to the JSON', async () => {
    await importing(csv('alice,Alice,a@example.com'))
    const args = ['token', 'issue', 'alice', '--domain', 'Intranet']

    const { link, code } = await json(...args, '--authenticator-url', 'https://mfa.example')

    expect(link).toBe(`https://mfa.example/authenticator/#code=${code}`)
    expect(await json(...args)).not.toHaveProperty('link')
  })

  it('second-factor token issue rejects an invalid authenticator address', async () => {
    const { stderr, code } = await admin('token', 'issue', 'a', '--domain', 'I', '--authenticator-url', 'mfa.example')

    expect(code).toBe(2)
    expect(stderr).toContain('https://')
  })
})
