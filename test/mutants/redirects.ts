import type { Mutant } from './mutant.ts'

export const mutants: readonly Mutant[] = [
  {
    defense: 'sending the API key to no address that the service redirects to',
    file: 'src/client/send.ts',
    find: "    redirect: 'manual',\n",
    replace: '',
    test: 'client/redirected.test.ts',
    title: 'the client says where an address redirects to with %d and what to change, and follows it nowhere',
  },
]
