import { printable } from '../../../ground/printable.ts'
import { useSpeech } from '../../words/speech.tsx'
import { type Field, type FieldName, linesOf, parsed, type Typed } from './fields.ts'
import { useOpenIdWords } from './words.ts'

/** Names a choice of a field. One that this version of the console does not know yet is named as the interface does. */
export function useOptionText(): (name: FieldName, option: string) => string {
  const options: Readonly<Record<string, Readonly<Record<string, string>>>> = useOpenIdWords().options
  return (name, option) => options[name]?.[option] ?? option
}

/** Says the value of a field in the words of the language. */
export function useValueText(): (field: Field, value: Typed) => string {
  const { apps, comma } = useSpeech().words
  const { values } = useOpenIdWords()
  const optionText = useOptionText()
  return ({ name, control }, value) => {
    if (typeof value === 'boolean') return value ? apps.on : apps.off
    if (control === 'choice') return optionText(name, String(value))
    const entries =
      control === 'choices' ? (value as readonly string[]).map((each) => optionText(name, each)) : undefined
    if (entries) return entries.join(comma) || values.none
    if (control === 'json') return keyCount(value, values)
    return linesOf(value).map(printable).join('\n') || values.none
  }
}

function keyCount(value: Typed, { none, keys }: { readonly none: string; keys: (count: number) => string }): string {
  const set = parsed(String(value)) as { readonly keys?: readonly unknown[] } | undefined
  return set?.keys ? keys(set.keys.length) : none
}
