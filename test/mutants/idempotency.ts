import type { Mutant } from './mutant.ts'

const calls = 'service/engine/idempotency/idempotency.test.ts'
const nodes = 'service/engine/idempotency/repeated-calls.test.ts'
const keyedCall = 'src/service/engine/idempotency/keyed-call.ts'
const answers = 'src/service/engine/idempotency/remembered-answers.ts'
const statements = 'src/service/engine/idempotency/statements.ts'
const limit = 'src/service/engine/idempotency/answer-limit.ts'

const id = 'JSON.stringify([organizationId, apiKeyId, domainId, operation, key])'

/** Creating calls with an `Idempotency-Key`: what is remembered, for whom and for how long. */
export const mutants: readonly Mutant[] = [
  {
    defense: 'that a remembered answer belongs to its API key',
    file: keyedCall,
    find: id,
    replace: 'JSON.stringify([organizationId, domainId, operation, key, apiKeyId.slice(99)])',
    also: [{ file: answers, find: 'userId: apiKeyId }) as const', replace: 'userId: apiKeyId.slice(99) }) as const' }],
    test: calls,
    title: 'another API key does not get the remembered answer',
  },
  {
    defense: 'that an Idempotency-Key belongs to its operation',
    file: keyedCall,
    find: id,
    replace: 'JSON.stringify([organizationId, apiKeyId, domainId, operation.slice(99), key])',
    test: calls,
    title: 'a key of one operation is free for another operation',
  },
  {
    defense: 'that an Idempotency-Key belongs to its domain',
    file: keyedCall,
    find: id,
    replace: 'JSON.stringify([organizationId, apiKeyId, domainId?.slice(99), operation, key])',
    test: calls,
    title: 'a key of one domain is free for another domain',
  },
  {
    defense: 'that an Idempotency-Key is good for one request only',
    file: keyedCall,
    find: "if (first !== digest) throw new ApiProblem('api.error.mismatch.idempotencykey')",
    replace: 'void [first, digest]',
    test: calls,
    title: 'another request with a used key is rejected with 422, and changes nothing',
  },
  {
    defense: 'that a request with an Idempotency-Key consists of its path, too',
    file: keyedCall,
    find: "hash('sha256', JSON.stringify(input), 'base64url')",
    replace: "hash('sha256', JSON.stringify({ ...(input as object), userId: '' }), 'base64url')",
    test: calls,
    title: 'the same body for another path is another request',
  },
  {
    defense: 'that an Idempotency-Key has visible characters only',
    file: keyedCall,
    find: "if (typeof header === 'string' && isIdempotencyKey(header)) return header",
    replace: "if (typeof header === 'string') return header",
    test: calls,
    title: 'the Idempotency-Key "%s" is rejected with 400',
  },
  {
    defense: 'that a repetition waits for the first call in the same process',
    file: answers,
    find: '    runningCalls.set(place.id, { digest: place.digest, ended })\n',
    replace: '    void ended\n',
    test: calls,
    title: 'a repetition waits for the first call that is still processed',
  },
  {
    defense: 'that a repetition waits once, and not once for each call before it',
    file: answers,
    find: 'cancel ??= clock.after(',
    replace: 'cancel?.()\n      cancel = clock.after(',
    test: calls,
    title: 'a repetition waits once, however many calls with its key run before it',
  },
  {
    defense: 'that a repetition that has waited needs the same access as before',
    file: answers,
    find: '        await call.requireUnchanged()\n',
    replace: '',
    test: calls,
    title: 'a repetition that waits gets no answer once its API key was revoked',
  },
  {
    defense: 'that one of two nodes makes a change',
    file: answers,
    find: 'if (!(await claimAnswer(db, row, now))) throw stillProcessed()',
    replace: 'await claimAnswer(db, row, now)',
    test: nodes,
    title: 'the same creating call on two nodes at once creates once, and both get the same answer',
  },
  {
    defense: 'that a call which another node was faster with gets its answer',
    file: answers,
    find: 'isRefusal(error) ? await find(ctx, place) : undefined',
    replace: 'isRefusal(error) ? await Promise.resolve(undefined) : undefined',
    test: nodes,
    title: 'the same creating call on two nodes at once creates once, and both get the same answer',
  },
  {
    defense: 'that an answer is stored in the transaction of its change',
    file: answers,
    find: 'await storeAnswer(db, { id, answer: sealed })',
    replace: 'await Promise.all([removeAnswer(db, id), sealed])',
    test: nodes,
    title: 'a repeated call finds what a COMMIT created whose answer was lost',
  },
  {
    defense: 'that remembered answers are sealed',
    file: answers,
    find: 'const sealed = secrets.seal(JSON.stringify({ digest, answer }), recordOf(place))',
    replace: 'const sealed = JSON.stringify({ digest, answer })',
    test: nodes,
    title: 'remembered answers are sealed, and open in their own row only',
  },
  {
    defense: 'that a remembered answer opens in its own row only',
    file: answers,
    find: "({ kind: 'remembered answer', id, userId: apiKeyId })",
    replace: "({ kind: 'remembered answer', id: id.slice(99), userId: apiKeyId })",
    test: nodes,
    title: 'remembered answers are sealed, and open in their own row only',
  },
  {
    defense: 'that a call which created nothing is not remembered',
    file: answers,
    find: 'release: (db) => removeAnswer(db, id),',
    replace: 'release: () => Promise.resolve(),',
    test: calls,
    title: 'a refusal is not remembered: the same call succeeds with the same key later',
  },
  {
    defense: 'that an answer is remembered for ten minutes only',
    file: statements,
    find: "    .where('expiresAt', '>', now)\n",
    replace: '',
    test: calls,
    title: 'an answer is remembered for ten minutes',
  },
  {
    defense: 'that no answer is remembered for a domain that does not exist',
    file: statements,
    find: "        is('domainId', 'is', null),\n",
    replace: "        is('domainId', 'is', null),\n        is('domainId', 'is not', null),\n",
    test: nodes,
    title: 'no answer is remembered for a domain that was deleted',
  },
  {
    defense: 'the limit of remembered answers of an API key',
    file: limit,
    find: 'if (count > max) {',
    replace: 'if (count > max + 99) {',
    test: calls,
    title: 'an API key that has used up its remembered answers gets 429, and other API keys still get theirs',
  },
]
