import type { Mutant } from './mutant.ts'

const test = 'express/fetched-pages.test.ts'

export const mutants: readonly Mutant[] = [
  {
    defense: 'asking nobody for a page that Turbo has fetched',
    file: 'src/express/routes.ts',
    find: "  if (req.method === 'GET' && isTurbo(req)) return apply(visitor, res, message(visitor, 200, 'not_ahead'))\n",
    replace: '',
    test,
    title: 'the page that Turbo fetches asks nobody, and has Turbo load it',
  },
  {
    defense: 'asking nobody for a page that Turbo preloads',
    file: 'src/express/request/navigation.ts',
    find: "'x-sec-purpose', ",
    replace: '',
    test,
    title: 'a page that Turbo preloads sends no request',
  },
  {
    defense: 'checking the page that htmx names',
    file: 'src/express/request/return-to.ts',
    find: '  if (!page || page.host !== (host ?? req.headers.host)) return undefined\n',
    replace: '  if (!page) return undefined\n',
    test,
    title: 'a page of htmx that is no page of this app is not returned to: %s',
  },
  {
    defense: 'comparing whole origins',
    file: 'src/express/request/return-to.ts',
    find: '!origins.includes(url.origin)',
    replace: '!origins.some((origin) => value.startsWith(origin))',
    test,
    title: 'a page at a listed origin is returned to, and no other: %s',
  },
  {
    defense: 'refusing names and passwords in addresses of pages elsewhere',
    file: 'src/express/request/return-to.ts',
    find: " || url.username !== '' || url.password !== ''",
    replace: '',
    test,
    title: 'a page at a listed origin is returned to, and no other: %s',
  },
  {
    defense: 'asking which page leads to the second step',
    file: 'src/express/request/requested-challenge.ts',
    find: "!origins.includes(URL.parse(headers.referer ?? '')?.origin ?? '')",
    replace: 'origins.length === 0',
    test,
    title: '%s cannot choose where a person continues',
  },
  {
    defense: 'taking the address in answers from publicUrl',
    file: 'src/express/request/requested-challenge.ts',
    find: '  return publicUrl === undefined ? path : new URL(publicUrl).origin + path\n',
    replace: '  return path\n',
    test,
    title:
      'the challenge in an answer is absolute where the address of the app is known, and never from Host or Origin',
  },
  {
    defense: 'following only answers of listed origins',
    file: 'src/browser/second-step.ts',
    find: '  if (origin !== location.origin && !origins.includes(origin)) return false\n',
    replace: '',
    test: 'browser/second-step.test.ts',
    title: 'leadToSecondStep() leaves the answer of an origin that is not listed to the app',
  },
  {
    defense: 'keeping a path with two slashes a path',
    file: 'src/browser/second-step.ts',
    find: '  target.pathname = challenge.pathname\n  target.search = challenge.search\n',
    replace: '  target.href = new URL(challenge.pathname + challenge.search, origin).href\n',
    test: 'browser/second-step.test.ts',
    title: 'leadToSecondStep() never leads elsewhere, whoever answered: %j',
  },
  {
    defense: 'leaving a page once',
    file: 'src/browser/second-step.ts',
    find: '  if (left.page === performance.timeOrigin && Date.now() - left.at < maxWait) return true\n',
    replace: '',
    test: 'browser/second-step.test.ts',
    title: 'leadToSecondStep() works for several answers of one page, for another challenge, and much later',
  },
]
