import type { Mutant } from './mutant.ts'

export const mutants: readonly Mutant[] = [...tls(), ...takeOver()]

function tls(): readonly Mutant[] {
  const test = 'cli/tls.long.ts'
  return [
    {
      defense: 'the oldest version of TLS is 1.2',
      file: 'src/service/engine/http/listen.ts',
      find: "const minVersion = 'TLSv1.2'",
      replace: "const minVersion = 'TLSv1'",
      test,
      title: 'second-factor serve rejects TLS before 1.2, even if Node allows it',
    },
    {
      defense: 'the oldest version of TLS is 1.2 also after the certificate was reloaded',
      file: 'src/service/engine/http/listen.ts',
      find: 'server.setSecureContext({ ...credentials, minVersion })',
      replace: 'server.setSecureContext(credentials)',
      test,
      title: 'second-factor serve rejects TLS before 1.2, even if Node allows it',
    },
    {
      defense: 'a certificate is served only with its own key',
      file: 'src/cli/serve/tls-files.ts',
      find: 'if (!isPair) throw',
      replace: 'if (isPair === undefined) throw',
      test,
      title: 'second-factor serve keeps the previous certificate when the new one is unusable, and logs an error',
    },
    {
      defense: 'closing a server ends no TLS connection that has asked for something',
      file: 'src/service/engine/http/listen.ts',
      find: 'if (raw) unused.delete(raw)',
      replace: 'void raw',
      test,
      title: 'a TLS server finishes a request while it closes',
    },
    {
      defense: 'closing a server closes the TLS connections whose handshake ends later',
      file: 'src/service/engine/http/listen.ts',
      find: 'if (maxUnused !== undefined) closeIfUnused(connection, maxUnused)',
      replace: 'void closeIfUnused',
      test,
      title: 'a closing TLS server closes connections whose handshake ends after closing has begun',
    },
  ]
}

function takeOver(): readonly Mutant[] {
  const test = 'cli/take-over.test.ts'
  return [
    {
      defense: 'an API key that is taken over is as long and as random as one of ours',
      file: 'src/service/features/domains/api-keys.ts',
      find: '/^[A-Za-z0-9]{64}$/.test(text)',
      replace: '/^[A-Za-z0-9]+$/.test(text)',
      test,
      title: 'init refuses an API key that %s, and does not repeat it',
    },
    {
      defense: 'an API key that was taken over is not printed',
      file: 'src/cli/commands/init.ts',
      find: '...(takenOver.apiKey === undefined && { apiKey: key })',
      replace: 'apiKey: key',
      test,
      title: 'init neither prints nor stores an existing client’s API key itself',
    },
    {
      defense: 'an API key belongs to one organization',
      file: 'src/service/features/domains/take-over.ts',
      find: 'if (apiKey !== undefined && (await',
      replace: "if (apiKey === '' && (await",
      test,
      title: 'init rejects an API key that is in use, and creates nothing',
    },
    {
      defense: 'a domain id belongs to one organization',
      file: 'src/service/features/domains/take-over.ts',
      find: 'if (domainId !== undefined && (await',
      replace: "if (domainId === '' && (await",
      test,
      title: 'init rejects a domain id that is in use by any organization, and creates nothing',
    },
    {
      defense: 'a file with an API key that others can read is reported',
      file: 'src/cli/commands/init.ts',
      find: '& 0o044) !== 0',
      replace: '& 0o044) < 0',
      test,
      title: 'init warns when other users of the machine can read the API key',
    },
  ]
}
