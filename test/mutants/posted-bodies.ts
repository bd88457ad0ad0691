import type { Mutant } from './mutant.ts'

const form = { file: 'src/express/request/form.ts', test: 'express/posted-bodies.test.ts' } as const

export const mutants: readonly Mutant[] = [
  {
    ...form,
    defense: 'bodies that were read as text or bytes',
    find: "typeof body === 'string' || body instanceof Uint8Array",
    replace: "typeof body === 'symbol' || body instanceof Uint32Array",
    title: 'is read where the app has read its body as %s',
  },
  {
    ...form,
    defense: 'bodies of which a parser has read nothing',
    find: '&& (req.readableEnded || Object.keys(body).length > 0)',
    replace: '',
    title: 'is read where the app has read its body as %s',
  },
  {
    ...form,
    defense: 'the warning about bodies that are gone',
    find: 'hasBody(req) ? none(unreadable) : {}',
    replace: '{}',
    title: 'leads to one warning where the app %s, because every code would be wrong',
  },
  {
    ...form,
    defense: 'the warning about bodies of which nothing is left but an empty text',
    find: 'if (body.length === 0 && hasBody(req)) return undefined',
    replace: '',
    title: 'leads to one warning where the app %s, because every code would be wrong',
  },
  {
    ...form,
    defense: 'requests that a browser gives up',
    find: 'if (req.complete) throw error',
    replace: 'if (!req.complete) throw error',
    title: 'a posted form that its browser aborts is one line at debug level, and no error',
  },
  {
    defense: 'malformed answers of passkeys',
    file: 'src/challenge/passkey.ts',
    find: "unlessRejected(created, 'api.error.invalid.passkey')",
    replace: "unlessRejected(created, 'api.error.notfound.passkey')",
    test: 'attacks/malformed-passkeys.test.ts',
    title: 'a malformed answer of a passkey at a sign-in is a wrong one, and never an outage',
  },
  {
    ...form,
    defense: 'reading a form to its end that is too long',
    find: 'if (length <= maxFormLength) chunks.push(bytes)',
    replace: 'if (length > maxFormLength) return Buffer.alloc(0)\n      chunks.push(bytes)',
    title:
      'a posted form that is too long to be ours is answered like an empty one, and its connection takes the next request',
  },
]
