import type { Mutant } from './mutant.ts'

const form = 'src/express/sign-in/carried-form.ts'
const carried = 'src/express/self-service/carried.ts'
const recovery = 'src/express/self-service/recovery.ts'
const shownCodes = 'src/express/self-service/shown-codes.ts'
const test = 'express/carried-forms.test.ts'

/** What limits a form that is carried over a confirmation, and who reads new recovery codes. */
export const mutants: readonly Mutant[] = [
  {
    defense: 'that a form waits for ten minutes',
    file: carried,
    find: '> carriedLifetime',
    replace: '> 10 * carriedLifetime',
    test,
    title: 'an interrupted form is dropped after ten minutes',
  },
  {
    defense: 'that the newest form is carried',
    file: 'src/express/sign-in/open-challenge.ts',
    find: 'giveUpTo: requested.giveUpTo, carried: requested.carried }',
    replace: 'giveUpTo: requested.giveUpTo }',
    test,
    title: 'an interrupted form is replaced by the one that was submitted last',
  },
  {
    defense: 'the allow-list of forms',
    file: form,
    find: '  if (!isCarriable(path)) return undefined\n  const fields = Object.entries(carriable[path])',
    replace: "  const fields = Object.entries(carriable[path as Carried['path']] ?? {})",
    test,
    title: 'an interrupted form is kept with ids, names and choices alone, and never for a route that carries a code',
  },
  {
    defense: 'the allow-list of fields',
    file: form,
    find: 'Object.entries(carriable[path]).flatMap(([name, isKept]) => {',
    replace: 'Object.keys(form).flatMap((name) => {\n    const isKept = isWord',
    test,
    title: 'an interrupted form is kept with ids, names and choices alone, and never for a route that carries a code',
  },
  {
    defense: 'the form of the fields',
    file: form,
    find: "typeof value === 'string' && isKept(value)",
    replace: "typeof value === 'string'",
    test,
    title: 'an interrupted form is kept with ids, names and choices alone, and never for a route that carries a code',
  },
  {
    defense: 'that recovery codes which were made are not made again unasked',
    file: recovery,
    find: "ownFactors.hadRecoveryCodes && !state.offer && form['again'] !== 'yes'",
    replace: 'ownFactors.hadRecoveryCodes && false',
    test,
    title: 'a second click or the back button makes no new recovery codes',
  },
  {
    defense: 'that new recovery codes are shown for ten minutes',
    file: shownCodes,
    find: 'if (!isBeforeEnd(stored.until, shownFor, context.mfa.options.clock.now())) return undefined',
    replace: '',
    test,
    title: 'the page of new recovery codes shows nothing ten minutes later',
  },
  {
    defense: 'that recovery codes which were replaced are not shown',
    file: shownCodes,
    find: ' || !ownFactors.codeIds.includes(stored.id)',
    replace: '',
    test,
    title: 'the page of new recovery codes shows no codes that another request has replaced',
  },
  {
    defense: 'that new recovery codes are sealed for the browser',
    file: shownCodes,
    find: "${bindingCookie.read(req, context) ?? 'without a cookie'}",
    replace: "${'any'}",
    test,
    title: 'the page of new recovery codes shows nothing in a browser with a copied web session',
  },
  {
    defense: 'that an offer of recovery codes belongs to the browser',
    file: 'src/express/self-service/guarded.ts',
    find: 'offer?.binding !== undefined && offer.binding === bindingOf(req, context)',
    replace: 'offer?.binding !== undefined',
    test,
    title: 'the offer of recovery codes needs a confirmation in a browser that did not set up the factor',
  },
]
