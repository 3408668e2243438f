const ANIMAL = 'Give an LPN id such as 6401492020FLE249; nsip_search_animals finds them.'

const SUGGESTIONS: Readonly<Record<string, string>> = {
  search_string: ANIMAL,
  lpn_id: ANIMAL,
  breed_id: 'Call nsip_list_breeds for valid ids; Katahdin is 640.',
  page: 'Pages count from 0.',
  page_size: 'Ask for at most 100 at once and page through the rest.',
  breed_group_id: 'Put it into search_criteria, as breedGroupId; nsip_list_breeds has the ids.',
}

/** How to come by a right value of an argument. */
export function suggestArgument(argument: string): string {
  return SUGGESTIONS[argument] ?? 'Correct it as expected says, or leave it out.'
}
