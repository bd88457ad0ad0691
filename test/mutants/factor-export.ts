import type { Mutant } from './mutant.ts'

export const mutants: readonly Mutant[] = [...exporting(), ...file()]

function exporting(): readonly Mutant[] {
  const test = 'service/features/people/factor-export.test.ts'
  const source = 'src/service/features/people/factor-export.ts'
  const statements = 'src/service/features/people/factor-export-statements.ts'
  const recorded = 'an export of factors is in the audit trail, and owners get a mail, before the first seed is read'
  const others = 'an export of factors of one domain has its members alone, and none has users of another organization'
  return [
    {
      defense: 'the entry of an export of factors',
      file: source,
      find: "await audit(db, ctx, { event: 'factors.exported'",
      replace: "void ((..._: unknown[]) => {})(audit, { event: 'factors.exported'",
      test,
      title: recorded,
    },
    {
      defense: 'the entry of an export of factors comes first',
      file: source,
      find: 'const ownersTold = await record(ctx, scope,',
      replace: 'const ownersTold = await record({ ...ctx, trail: { ...ctx.trail, append: async () => {} } }, scope,',
      test,
      title: recorded,
    },
    {
      defense: 'no export of factors without an entry',
      file: source,
      find: 'const ownersTold = await record(ctx, scope, { count: seeds, skipped: devices + passkeys + freeTokens })',
      replace:
        'const ownersTold = 0\n  void record(ctx, scope, { count: seeds, skipped: devices + passkeys + freeTokens }).catch(() => {})',
      test,
      title: 'an export of factors without a trail has no line',
    },
    {
      defense: 'the mail about an export of factors',
      file: source,
      find: "return mailOwnersOfExport(db, ctx, { organizationId, domainId, by: ctx.actor.id ?? '', people: counts.count })",
      replace: 'return mailOwnersOfExport.length',
      test,
      title: recorded,
    },
    {
      defense: 'only members of the domain in an export of factors',
      file: source,
      find: 'everyone: domain ? 0 : 1,',
      replace: 'everyone: 1,',
      test,
      title: others,
    },
    {
      defense: 'only users of the organization in an export of factors',
      file: statements,
      find: "    .where('hardwareToken.organizationId', '=', visible.organizationId)\n",
      replace: '',
      test,
      title: others,
    },
  ]
}

function file(): readonly Mutant[] {
  const test = 'cli/admin/factor-export.test.ts'
  const source = 'src/cli/export/encrypted-file.ts'
  const encrypter = 'src/cli/export/encrypter.ts'
  return [
    {
      defense: 'the encryption of an export of factors',
      file: source,
      find: 'await encrypter.encrypt(streamOf(inChunks(lines)))',
      replace: 'streamOf(inChunks(lines))',
      test,
      title: 'second-factor factor export encrypts for each public key of age',
    },
    {
      defense: 'an export of factors that only its owner can read',
      file: source,
      find: "'wx', 0o600",
      replace: "'wx', 0o644",
      test,
      title: 'second-factor factor export encrypts for each public key of age',
    },
    {
      defense: 'an export of factors replaces no file',
      file: source,
      find: 'if (!force) throw',
      replace: 'if (!stats.isFile()) throw',
      test,
      title: 'second-factor factor export keeps an existing file, unless it may replace it',
    },
    {
      defense: 'no passphrase as an argument',
      file: 'src/cli/terminal/read-file.ts',
      find: "if (!value.startsWith('@')) {",
      replace: "if (!value.startsWith('@') && value !== '') return value\n  if (value === '') {",
      test,
      title: 'second-factor factor export takes no passphrase as an argument, and does not repeat it',
    },
    {
      defense: 'no passphrase that can be guessed',
      file: encrypter,
      find: 'length >= minPassphrase',
      replace: 'length <= minPassphrase',
      test,
      title: 'second-factor factor export takes no passphrase that can be guessed from the file',
    },
    {
      defense: 'a private key is not repeated',
      file: encrypter,
      find: "which begins with age1 and which age-keygen prints.'",
      replace: "which begins with age1: ' + key",
      test,
      title: 'second-factor factor export does not repeat a private key',
    },
    {
      defense: 'an export of factors waits for its mails',
      file: 'src/cli/commands/factor-export.ts',
      find: 'await ctx.securityMails?.sent()',
      replace: '',
      test,
      title: 'second-factor factor export is in the audit trail, and mails every owner before it ends',
    },
  ]
}
