import type { Mutant } from './mutant.ts'

const test = 'fastify/mfa.test.ts'

export const mutants: readonly Mutant[] = [
  {
    defense: 'gating users of Fastify whom a later hook signs in',
    file: 'src/fastify/mfa.ts',
    find: 'if (isPage(request) || (context?.mfa === instance.mfa && context.user)) return done()',
    replace: 'if (isPage(request) || context) return done()',
    test,
    title: 'a user whom a later hook signs in is gated before the handlers of the route, and stays verified',
  },
  {
    defense: 'keeping the record while a later hook may sign its user in',
    file: 'src/express/handle-session.ts',
    find: "    if (!user && moment === 'early' && (!hasMfaState(req) || readMfaState(req).late)) return handling.next()\n",
    replace: '',
    test,
    title: 'a user whom a later hook signs in is gated before the handlers of the route, and stays verified',
  },
  {
    defense: 'public files on Fastify with a web session that nothing stores',
    file: 'src/fastify/fastify-sessions.ts',
    find: '  detached.session = session && readOnly(session, members)\n',
    replace: '',
    test,
    title: 'public files on %s carry no cookie, whatever the app stores in each request',
  },
  {
    defense: 'keeping shared caches from files with a cookie that a plugin of Fastify adds late',
    file: 'src/fastify/mfa.ts',
    find: "  pages.addHook('onSend', keepFromSharedCaches)\n",
    replace: '',
    test,
    title:
      'a cookie that the app sets by @fastify/cookie on every answer keeps shared caches from storing public files',
  },
  {
    defense: 'answering by the reply of Fastify, whose hooks store the web session',
    file: 'src/fastify/fastify-response.ts',
    find: '    this.original.code(status).send(body)\n',
    replace: '    this.original.hijack().raw.writeHead(status, headers).end(body)\n',
    test: 'attacks/cookie-session.test.ts',
    title: 'with the web session in a cookie, users pass the second step as with any other web session',
  },
  {
    defense: 'the end of the second step with a sign-out, before a login that answers in a hook of Fastify',
    file: 'src/express/handle-session.ts',
    find: ' && (!hasMfaState(req) || readMfaState(req).late)',
    replace: '',
    test: 'fastify/mfa.test.ts',
    title:
      'the second step ends with a sign-out that keeps the web session, also where the next login answers in a hook',
  },
  {
    defense: 'the prefix of the plugin itself, where another one has seen the request since',
    file: 'src/fastify/mfa.ts',
    find: 'const req = prepareRequest(request, reply, prefix)\n    const context',
    replace: 'const req = requestOf(request)\n    const context',
    test: 'fastify/mfa.test.ts',
    title: 'the plugin leads users of a later login to its own pages, also from the part of the app with another one',
  },
]
