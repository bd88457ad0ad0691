import { codePointName, mixesAlphabets, visibleParts } from '../../ground/visible-text.ts'
import { useWords } from '../words/speech.tsx'

/** Text from others, as it is: what cannot be seen is shown by its number, and its direction ends with it. */
export function ShownText({ text }: { readonly text: string }) {
  const words = useWords()
  return (
    <>
      <bdi class="shown" dir="auto">
        {visibleParts(text).map((part, index) =>
          typeof part === 'string' ? (
            part
          ) : (
            <code key={index} dir="ltr">
              {codePointName(part)}
            </code>
          ),
        )}
      </bdi>
      {mixesAlphabets(text) ? <small class="mixed">{words.approvalMixed}</small> : null}
    </>
  )
}

/** A sentence with a text from others at its place, wherever a language puts it. */
export function Sentence({ of, text }: { readonly of: (value: string) => string; readonly text: string }) {
  const [before, after] = of('\0').split('\0')
  return (
    <>
      {before}
      <ShownText text={text} />
      {after}
    </>
  )
}
