import type { Mutant } from './mutant.ts'

export const mutants: readonly Mutant[] = [...tls(), ...takeOver()]

function tls(): readonly Mutant[] {
  const test = 'cli/tls.test.ts'
  return [
    {
      defense: 'the oldest version of TLS is 1.2',
      file: 'src/service/http/listen.ts',
      find: "const minVersion = 'TLSv1.2'",
      replace: "const minVersion = 'TLSv1'",
      test,
      title: 'refuses versions of TLS before 1.2, whatever Node is told',
    },
    {
      defense: 'the oldest version of TLS is 1.2 also after the certificate was reloaded',
      file: 'src/service/http/listen.ts',
      find: 'server.setSecureContext({ ...credentials, minVersion })',
      replace: 'server.setSecureContext(credentials)',
      test,
      title: 'refuses versions of TLS before 1.2, whatever Node is told',
    },
    {
      defense: 'a certificate is served only with its own key',
      file: 'src/cli/service/tls-files.ts',
      find: 'if (!isPair) throw',
      replace: 'if (isPair === undefined) throw',
      test,
      title: 'goes on with the previous certificate when the new one %s, and logs an error',
    },
    {
      defense: 'closing a server ends no TLS connection that has asked for something',
      file: 'src/service/http/listen.ts',
      find: 'if (raw) unused.delete(raw)',
      replace: 'void raw',
      test,
      title: 'answers what it was asked when it closes meanwhile',
    },
  ]
}

function takeOver(): readonly Mutant[] {
  const test = 'cli/take-over.test.ts'
  return [
    {
      defense: 'an API key that is taken over is as long and as random as one of ours',
      file: 'src/service/admin/api-keys.ts',
      find: '/^[A-Za-z0-9]{64}$/.test(text)',
      replace: '/^[A-Za-z0-9]+$/.test(text)',
      test,
      title: 'refuses a key that %s, and does not repeat it',
    },
    {
      defense: 'an API key that was taken over is not printed',
      file: 'src/cli/commands/init.ts',
      find: '...(taken.apiKey === undefined && { apiKey: key })',
      replace: 'apiKey: key',
      test,
      title: 'neither prints nor stores the key itself',
    },
    {
      defense: 'an API key belongs to one organization',
      file: 'src/service/admin/take-over.ts',
      find: 'if (apiKey !== undefined && (await',
      replace: "if (apiKey === '' && (await",
      test,
      title: 'refuses a key that is in use, and makes nothing',
    },
    {
      defense: 'a domain id belongs to one organization',
      file: 'src/service/admin/take-over.ts',
      find: 'if (domainId !== undefined && (await',
      replace: "if (domainId === '' && (await",
      test,
      title: 'refuses a domain id that is in use, also by another organization, and makes nothing',
    },
    {
      defense: 'a file with an API key that others can read is reported',
      file: 'src/cli/admin/read-api-key.ts',
      find: '& 0o044) !== 0',
      replace: '& 0o044) < 0',
      test,
      title: 'warns when other users of the machine can read the key',
    },
  ]
}
