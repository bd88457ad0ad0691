/*
 * How texts are compared in searches: without case and accents, and with plain letters for those that have no accent but look like a
 * plain one to most people, such as ł. Both databases get the same table, as SQL that depends on no extension and no locale:
 * `unaccent` of PostgreSQL is not immutable, and `lower` of SQLite knows only ASCII.
 */

/** Letters that Unicode does not decompose, and what people type for them. */
const special: readonly (readonly [letter: string, plain: string])[] = [
  ['ß', 'ss'],
  ['ẞ', 'ss'],
  ['æ', 'ae'],
  ['Æ', 'ae'],
  ['œ', 'oe'],
  ['Œ', 'oe'],
  ['þ', 'th'],
  ['Þ', 'th'],
  ['ð', 'd'],
  ['Ð', 'd'],
  ['đ', 'd'],
  ['Đ', 'd'],
  ['ı', 'i'],
  ['ł', 'l'],
  ['Ł', 'l'],
  ['ø', 'o'],
  ['Ø', 'o'],
  ['ħ', 'h'],
  ['Ħ', 'h'],
  ['ŧ', 't'],
  ['Ŧ', 't'],
  ['ς', 'σ'],
]

/**
 * Latin with the letters of Vietnamese and Romanian, Greek, Cyrillic, and full-width letters and digits: each letter, then its plain
 * one. Written out instead of derived from Unicode, because migrations contain it, and their texts must be the same on every Node.
 */
const letters = [
  'ÀaÁaÂaÃaÄaÅaÇcÈeÉeÊeËeÌiÍiÎiÏiÑnÒoÓoÔoÕoÖoÙuÚuÛuÜuÝyàaáaâaãaäaåaçcèeéeêeëeìiíiîiïiñnòoóo',
  'ôoõoöoùuúuûuüuýyÿyĀaāaĂaăaĄaąaĆcćcĈcĉcĊcċcČcčcĎdďdĒeēeĔeĕeĖeėeĘeęeĚeěeĜgĝgĞgğgĠgġgĢgģgĤh',
  'ĥhĨiĩiĪiīiĬiĭiĮiįiİiĴjĵjĶkķkĹlĺlĻlļlĽlľlŃnńnŅnņnŇnňnŊŋŌoōoŎoŏoŐoőoŔrŕrŖrŗrŘrřrŚsśsŜsŝsŞs',
  'şsŠsšsŢtţtŤtťtŨuũuŪuūuŬuŭuŮuůuŰuűuŲuųuŴwŵwŶyŷyŸyŹzźzŻzżzŽzžzſsƠoơoƢƣƤƥƦʀƧƨƩʃƬƭƮʈƯuưuǍaǎa',
  'ǏiǐiǑoǒoǓuǔuǕuǖuǗuǘuǙuǚuǛuǜuȘsșsȚtțtΆα··ΈεΉηΊιΌοΎυΏωΐιΑαΒβΓγΔδΕεΖζΗηΘθΙιΚκΛλΜμΝνΞξΟοΠπΡρ',
  'ΣσΤτΥυΦφΧχΨψΩωΪιΫυάαέεήηίιΰυϊιϋυόούυώωЀеЁеЂђЃгЄєЅѕІіЇіЈјЉљЊњЋћЌкЍиЎуЏџАаБбВвГгДдЕеЖжЗзИи',
  'ЙиКкЛлМмНнОоПпРрСсТтУуФфХхЦцЧчШшЩщЪъЫыЬьЭэЮюЯяйиѐеёеѓгїіќкѝиўуẠaạaẢaảaẤaấaẦaầaẨaẩaẪaẫaẬa',
  'ậaẮaắaẰaằaẲaẳaẴaẵaẶaặaẸeẹeẺeẻeẼeẽeẾeếeỀeềeỂeểeỄeễeỆeệeỈiỉiỊiịiỌoọoỎoỏoỐoốoỒoồoỔoổoỖoỗoỘo',
  'ộoỚoớoỜoờoỞoởoỠoỡoỢoợoỤuụuỦuủuỨuứuỪuừuỬuửuỮuữuỰuựuỲyỳyỴyỵyỶyỷyỸyỹy０0１1２2３3４4５5６6７7８8９9Ａa',
  'ＢbＣcＤdＥeＦfＧgＨhＩiＪjＫkＬlＭmＮnＯoＰpＱqＲrＳsＴtＵuＶvＷwＸxＹyＺzａaｂbｃcｄdｅeｆfｇgｈhｉiｊjｋkｌlｍmｎnｏoｐpｑqｒrｓs',
  'ｔtｕuｖvｗwｘxｙyｚz',
].flatMap(pairsOf)

function pairsOf(line: string): (readonly [letter: string, plain: string])[] {
  return Array.from({ length: line.length / 2 }, (_, index) => [line.charAt(2 * index), line.charAt(2 * index + 1)])
}

/** Accents that are characters of their own, as some systems write them. */
const marks: readonly number[] = [
  0x300, 0x301, 0x302, 0x303, 0x304, 0x306, 0x307, 0x308, 0x309, 0x30a, 0x30b, 0x30c, 0x31b, 0x323, 0x326, 0x327, 0x328,
]

const removed = marks.map((mark) => String.fromCodePoint(mark))

const replaced = (text: string, pairs: readonly (readonly [string, string])[]): string =>
  pairs.reduce((inner, [letter, plain]) => `replace(${inner}, '${letter}', '${plain}')`, text)

/** SQLite allows expressions of 1,000 levels at most. */
const maxDepth = 250

const all = [...special, ...letters, ...removed.map((mark) => [mark, ''] as const)]

/**
 * SQL for SQLite that folds a column. Most names are ASCII, for which `lower` is enough: the rest costs about 100 microseconds. SQLite
 * would merge the nested selects into one expression if they were not distinct.
 * @param column The name of a column, because the text stands in it several times.
 */
export function sqliteFold(column: string): string {
  const chunks = Array.from({ length: Math.ceil(all.length / maxDepth) }, (_, index) =>
    all.slice(index * maxDepth, (index + 1) * maxDepth),
  )
  const folded = chunks.reduce(
    (inner, pairs, index) => `select distinct ${replaced('text', pairs)} as text from (${inner}) f${index}`,
    `select lower(${column}) as text`,
  )
  return `case when ${column} glob '*[^ -~' || char(10) || ']*' then (${folded}) else lower(${column}) end`
}

const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** The same as a function of PostgreSQL, which may stand in an index. */
export const postgresFold = `create function search_fold(text) returns text language sql immutable strict parallel safe as $$
  select ${replaced(
    `translate($1, '${upper}${letters.map(([letter]) => letter).join('')}${removed.join('')}',
      '${upper.toLowerCase()}${letters.map(([, plain]) => plain).join('')}')`,
    special,
  )}
$$`
