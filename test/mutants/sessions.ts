import type { Mutant } from './mutant.ts'

export const mutants: readonly Mutant[] = [
  {
    defense: 'redeeming an approval once',
    file: 'src/service/store/sessions.ts',
    find: `    .where('redeemedAt', 'is', null)
`,
    replace: '',
    test: 'service/sessions.test.ts',
    title: 'succeeds once per approval, even when many callers try at once',
  },
  {
    defense: 'the end of a session when its time is over',
    file: 'src/service/store/sessions.ts',
    find: `    .where(isPending(now))
    .returning('deviceId')`,
    replace: "    .returning('deviceId')",
    test: 'properties/session-machine.test.ts',
    title: 'match the documented model for any sequence of events',
  },
  {
    defense: 'hearing the same answer again, and no other',
    file: 'src/service/device/answer.ts',
    find: 'const same = session.answeredDecision === given.decision && session.answeredNumber === number',
    replace: 'const same = true',
    test: 'service/device/answer.test.ts',
    title: 'is final: of many that arrive at once, one decides',
  },
  {
    defense: 'looking things up within the organization',
    file: 'src/service/api/find.ts',
    find: 'await domainById(call.store.db, call.organizationId, domainId)',
    replace: "await call.store.db.selectFrom('domain').selectAll().where('id', '=', domainId).executeTakeFirst()",
    test: 'service/isolation.test.ts',
    title: '$name with a foreign $of: returns a not-found error',
  },
  {
    defense: 'the role of a key',
    file: 'src/service/http/authorize.ts',
    find: "key.role === 'auth' && endpoint.role !== 'auth'",
    replace: 'false',
    test: 'service/isolation.test.ts',
    title: 'may not $name',
  },
  {
    defense: 'one answer to everything without a key',
    file: 'src/service/http/rest.ts',
    find: '    if (error instanceof ApiProblem && error.status === 401) {',
    replace: `    if (error instanceof ApiProblem && error.status === 401 && /organization|users/.test(req.url ?? '')) throw new ApiProblem('api.error.notfound.operation')
    if (error instanceof ApiProblem && error.status === 401) {`,
    test: 'attacks/outsider.test.ts',
    title: 'learns nothing from $name, which answers the same for existing and missing ids',
  },
  {
    defense: 'the refusal of browsers at the private door',
    file: 'src/service/embedded.ts',
    find: 'if (mayBeBrowser(req)) return',
    replace: 'if (mayBeBrowser(req) && false) return',
    test: 'service/embedded.test.ts',
    title: 'rejects browsers, even with the key: %s',
  },
]
