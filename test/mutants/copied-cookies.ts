import type { Mutant } from './mutant.ts'

const test = 'attacks/copied-cookie.test.ts'

/** The new id of the web session in which factors change or other sessions end. */
export const mutants: readonly Mutant[] = [
  {
    defense: 'the new id of the web session that ends the others',
    file: 'src/express/self-service/next-epoch.ts',
    find: 'andThen(request, { state: { renew: state } }, async (saved) => {',
    replace: 'andThen(request, { state: { save: state } }, async (saved) => {',
    test,
    title: 'a copied cookie of a verified web session ends when its owner %s',
  },
  {
    defense: 'the new id of the web session that adds a passkey',
    file: 'src/express/self-service/passkeys.ts',
    find: "state: { renew: state },\n    events: [{ type: 'factor.added', kind: 'passkey'",
    replace: "state: { save: state },\n    events: [{ type: 'factor.added', kind: 'passkey'",
    test,
    title: 'a copied cookie of a verified web session ends when its owner %s',
  },
  {
    defense: 'the new id of the web session that asks for another device',
    file: 'src/express/self-service/device.ts',
    find: 'state: { renew: withSetup(request,',
    replace: 'state: { save: withSetup(request,',
    test,
    title: 'a copied cookie of a verified web session ends when its owner %s',
  },
  {
    defense: 'the new id of the web session once another device is set up',
    file: 'src/express/self-service/device.ts',
    find: 'state: { renew: withoutDevice(request) },',
    replace: 'state: { save: withoutDevice(request) },',
    test,
    title: 'a cookie copied while the code for another device was shown ends once that device is set up',
  },
  {
    defense: 'that a verified web session is not stored under an id that is gone',
    file: 'src/express/session/renewals.ts',
    find: 'if (stored === undefined || save.isOutdated) return false\n    save.saving = change(stored)',
    replace: 'save.saving = change((stored ?? {}) as T)',
    test,
    title: 'a copied cookie is not brought back by a request that was sent before its owner’s change and %s',
  },
  {
    defense: 'that a renewal ends the saves that have read the store before',
    file: 'src/express/session/renewals.ts',
    find: ' || save.isOutdated',
    replace: '',
    test,
    title: 'a copied cookie is not brought back by a save that read the store before its owner added a passkey',
  },
  {
    defense: 'that a renewal waits for saves that the store has begun',
    file: 'src/express/session/renewals.ts',
    find: 'await Promise.allSettled(concurrentSaves.flatMap(({ saving }) => saving ?? []))',
    replace: '',
    test,
    title: 'a copied cookie is not brought back by a save that the store carries out slowly',
  },
  {
    defense: 'that one of several requests with one id renews it',
    file: 'src/express/session/renewals.ts',
    find: 'if (renewals.has(id)) return false\n  const responseSent',
    replace: 'const responseSent',
    test,
    title: 'a copied cookie is not renewed by two browsers, even if the store answers the first slowly',
  },
  {
    defense: 'that a tab which comes second waits for the new id',
    file: 'src/express/apply.ts',
    find: '  await renewalSent(loadedIdOf(req))\n',
    replace: '',
    test,
    title: 'two tabs of one browser are answered in order: the new id arrives before the second continues',
  },
]
