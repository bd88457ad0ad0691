import type { Mutant } from './mutant.ts'

export const mutants: readonly Mutant[] = [
  {
    defense: 'redeeming an approval once',
    file: 'src/service/features/sessions/statements.ts',
    find: `    .where('redeemedAt', 'is', null)
`,
    replace: '',
    test: 'service/features/sessions/sessions.test.ts',
    title: 'redeeming a session succeeds once per approval, even when many callers try at once',
  },
  {
    defense: 'the end of a session when its time is over',
    file: 'src/service/features/sessions/statements.ts',
    find: `    .where(isPending(now))
    .returning('deviceId')`,
    replace: "    .returning('deviceId')",
    test: 'service/features/sessions/session-machine.test.ts',
    title: 'sessions match the documented model for any sequence of events',
  },
  {
    defense: 'hearing the same answer again, and no other',
    file: 'src/service/features/devices/answer.ts',
    find: 'const same = session.answeredDecision === decision && session.answeredNumber === number',
    replace: 'const same = true',
    test: 'service/features/devices/answer.test.ts',
    title: 'when many answers arrive at once, one decides and is final',
  },
  {
    defense: 'looking things up within the organization',
    file: 'src/service/features/domains/find.ts',
    find: 'await domainById(call.store.db, call.organizationId, domainId)',
    replace: "await call.store.db.selectFrom('domain').selectAll().where('id', '=', domainId).executeTakeFirst()",
    test: 'service/isolation.test.ts',
    title: '$name with a foreign $of returns a not-found error',
  },
  {
    defense: 'the role of a key',
    file: 'src/service/engine/http/authorize.ts',
    find: "key.role === 'auth' && endpoint.role !== 'auth'",
    replace: 'false',
    test: 'service/isolation.test.ts',
    title: 'an API key of role auth may not call $name',
  },
  {
    defense: 'one answer to everything without a key',
    file: 'src/service/engine/http/key-access.ts',
    find: '    if (error instanceof ApiProblem && error.status === 401) {',
    replace: `    if (error instanceof ApiProblem && error.status === 401 && /organization|users/.test(url)) throw new ApiProblem('api.error.notfound.operation')
    if (error instanceof ApiProblem && error.status === 401) {`,
    test: 'attacks/outsider.test.ts',
    title: 'an outsider without a key learns nothing from $name, which answers the same for existing and missing ids',
  },
  {
    defense: 'an embedded service is called with its own key only',
    file: 'src/service/embedded.ts',
    find: 'hash === key.hash ? key : undefined',
    replace: '{ ...key, hash }',
    test: 'service/embedded.test.ts',
    title: 'a call inside an embedded service is rejected with every key except its own',
  },
  {
    defense: 'the address of an embedded service, to which no key can be sent over a network',
    file: 'src/service/embedded.ts',
    find: "'https://embedded.invalid/api'",
    replace: "'http://127.0.0.1/api'",
    test: 'service/embedded.test.ts',
    title: 'a call inside an embedded service cannot be sent over a network: its address does not exist',
  },
  {
    defense: 'a call inside an embedded service reaches the REST interface only',
    file: 'src/service/engine/http/local-fetch.ts',
    find: 'if (!href.startsWith(`${baseUrl}/`)) throw',
    replace: 'if (!href) throw',
    test: 'service/embedded.test.ts',
    title: 'a call inside an embedded service reaches only the REST interface: %s',
  },
  {
    defense: 'the limit of a body, in the same process',
    file: 'src/service/engine/http/local-fetch.ts',
    find: 'if (Buffer.byteLength(content) > limit)',
    replace: 'if (Buffer.byteLength(content) < 0)',
    test: 'service/engine/http/wire.test.ts',
    title: 'a request body is 413 when it is too large',
  },
  {
    defense: 'a call in the same process begins in a later turn of the event loop',
    file: 'src/service/engine/http/local-fetch.ts',
    find: 'setImmediate(() => {',
    replace: 'queueMicrotask(() => {',
    test: 'service/engine/http/transports.test.ts',
    title: 'a request in the same process is not answered in the same event loop turn, so that others get theirs',
  },
  {
    defense: 'a call in the same process that is given up ends what it waits for',
    file: 'src/service/engine/http/local-fetch.ts',
    find: "signal?.addEventListener('abort', close)",
    replace: '',
    test: 'service/engine/http/transports.test.ts',
    title: 'a held request frees its place when its caller gives up, who learns of it at once',
  },
  {
    defense: 'a list of pending sessions of one domain',
    file: 'src/service/features/sessions/statements.ts',
    find: `.where((is) => is.and({ userId: slots.userId, domainId: slots.domainId }))
      .where(isPending(now))
      .orderBy('sequence', 'desc')`,
    replace: `.where((is) => is.and({ userId: slots.userId }))
      .where(isPending(now))
      .orderBy('sequence', 'desc')`,
    test: 'service/features/sessions/operations.test.ts',
    title: 'listing pending sessions returns none that is settled, expired, or of another domain or user',
  },
]
