import type { Mutant } from './mutant.ts'

/** What happens before a screen is drawn. */
export const mutants: readonly Mutant[] = [
  {
    defense: 'a headline has the focus before it is drawn',
    file: 'src/ui/use-headline.ts',
    find: 'import { useLayoutEffect,',
    replace: 'import { useEffect as useLayoutEffect,',
    test: 'authenticator/at-once.long.ts',
    title: 'the headline of a screen is announced as soon as the screen is drawn',
  },
  {
    defense: 'a keypad goes from field to field before it is drawn',
    file: 'src/authenticator/parts/keypad.tsx',
    find: 'import { useLayoutEffect,',
    replace: 'import { useEffect as useLayoutEffect,',
    test: 'authenticator/at-once.long.ts',
    title: 'the keypad moves from a new PIN to its repetition as soon as the screen is drawn',
  },
  {
    defense: 'a refused PIN is removed before what was wrong with it is drawn',
    file: 'src/authenticator/inbox/answer-form.tsx',
    find: 'import { useLayoutEffect,',
    replace: 'import { useEffect as useLayoutEffect,',
    test: 'authenticator/at-once.long.ts',
    title: 'a rejected PIN is cleared as soon as the screen is drawn',
  },
  {
    defense: 'the field of the next question has the focus before it is drawn',
    file: 'src/authenticator/parts/digit-field.tsx',
    find: '        ref={focus}\n',
    replace: '',
    test: 'authenticator/at-once.long.ts',
    title: 'the field of the next question has the focus as soon as the screen is drawn',
  },
]
