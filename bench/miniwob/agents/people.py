"""Mail and posts: find whose they are, then act on them."""

import contextlib
import re

from bench.miniwob.agents import solves
from bench.miniwob.agents.words import FIELDS, quoted, submit
from bench.miniwob.tab import Element, Tab

# How users ask for an action, the clearest phrases first.
INTENTS = {
    "delete": r"delet|trash|remov|\brid\b|eras|discard|throw|junk|\bbin\b",
    "star": r"\bstar|important|flag|mark|priorit|highlight",
    "reply": r"repl|respon|answer|\btell\b|\bsay|\bwrite\b|text of",
    "forward": r"forward|foward|\bsend\b|\bsent\b|\bgive\b|pass|share|waiting|wants|needs|copy|relay|get",
}
ICONS = {"delete": "(?:delete|trash)", "star": "star", "reply": "reply", "forward": "forward", "send": "send"}


def control(listed: list[Element], word: str, after: int = 0) -> Element:
    """Return the first control after a line whose name is the word, or whose image or selector contains it.

    Several words name something with several controls, whose images may not have loaded yet.

    Raises LookupError if there is none.
    """
    offered = [element for element in listed[after:] if element.selector]
    signs = re.compile(rf"^{word}$|\b{word}[\w-]*\.png|[.#][\w-]*{word}", re.IGNORECASE)
    for reported in ("state", "name", "selector"):
        for element in offered:
            if signs.search(getattr(element, reported)):
                return element
    raise LookupError(word)


def begins(name: str, person: str) -> bool:
    return re.match(rf"{re.escape(person)}(?!\w)", name) is not None


def intent_of(goal: str) -> str:
    """Return what the goal asks to do with a mail."""
    if re.search(r'"[^"]*"', goal):
        return "reply"
    return next(intent for intent, signs in INTENTS.items() if re.search(signs, goal, re.IGNORECASE))


def people_of(goal: str, listed: list[Element]) -> tuple[str, str]:
    """Return whose mail is meant and, for one to forward, the recipient."""
    places: dict[str, int] = {}
    for name in re.findall(r"\b[A-Z][\w-]+", goal):
        if any(element.selector and begins(element.name, name) for element in listed):
            places[name] = goal.index(name)
    to = re.search(
        r"\b(?:to|Send|Give|send|give|Forward|forward|that|want|show|with|let|for) ([A-Z][\w-]+)(?!'s|\w)", goal
    )
    by = re.search(r"\b(?:by|from|From) ([A-Z][\w-]+)|\b([A-Z][\w-]+)(?:'s| sent| email| e-mail| mail| message)", goal)
    receiver = to[1] if to else ""
    sender = (by[1] or by[2]) if by else ""
    if sender not in places:
        sender = next(name for name in places if name != receiver)
    others = [name for name in re.findall(r"\b[A-Z][\w-]+", goal)[::-1] if name != sender]
    return sender, receiver if receiver and receiver != sender else next(iter(others), "")


@solves(
    "email-inbox",
    "email-inbox-noscroll",
    "email-inbox-delete",
    "email-inbox-forward",
    "email-inbox-forward-nl",
    "email-inbox-forward-nl-turk",
    "email-inbox-important",
    "email-inbox-nl-turk",
    "email-inbox-reply",
    "email-inbox-star-reply",
)
async def handle_mail(tab: Tab, goal: str) -> None:
    intent = intent_of(goal)
    listed = await tab.look()
    sender, receiver = people_of(re.sub(r'"[^"]*"', "", goal), listed)
    await tab.click(next(element for element in listed if element.selector and begins(element.name, sender)))
    await tab.click(await tab.until(lambda listed: found(listed, ICONS[intent])))
    if intent not in ("reply", "forward"):
        return
    listed = await tab.until(lambda listed: listed if is_form(listed) else None)
    fields = [element for element in listed if element.role in FIELDS]
    await tab.fill(fields[0], receiver if intent == "forward" else quoted(goal)[0])
    await tab.click(control(listed, ICONS["send"]))


def is_form(listed: list[Element]) -> bool:
    """Return whether a mail can be written; the form slides in, and its field may come before the button."""
    return any(element.role in FIELDS for element in listed) and found(listed, ICONS["send"]) is not None


def found(listed: list[Element], word: str, after: int = 0) -> Element | None:
    """Return the control, or None until it is there: its image may not have loaded yet."""
    with contextlib.suppress(LookupError):
        return control(listed, word, after)
    return None


@solves("social-media")
async def act_on_post(tab: Tab, goal: str) -> None:
    user = re.findall(r"@\w+", goal)[0]
    action = quoted(goal)[0]
    icon = action.lower() if action.lower() in ("reply", "retweet", "like") else "more"
    await click_surely(tab, await tab.until(lambda listed: found(listed, icon, posts_of(listed, user)[0])))
    if icon == "more":
        await tab.click(await tab.named(f"{action} {user}" if action in ("Mute", "Block") else action))


# Lines that name a user, too: the goal, and a menu's.
OTHERS = "For the user|Click the|Mute|Block"


async def click_surely(tab: Tab, icon: Element) -> None:
    """Click again if a note says that the click may have missed: under the mouse the icon loads another image."""
    for _ in range(3):
        if '"notes"' not in await tab.click(icon):
            return


def posts_of(listed: list[Element], user: str) -> list[int]:
    """Return the lines where a user's posts begin."""
    return [
        line
        for line, element in enumerate(listed)
        if element.role == "text" and re.search(rf"{user}(?!\w)", element.name) and not re.match(OTHERS, element.name)
    ]


@solves("social-media-all", "social-media-some")
async def act_on_posts(tab: Tab, goal: str) -> None:
    user = re.findall(r"@\w+", goal)[0]
    icon = quoted(goal)[0].lower()
    listed = await tab.until(lambda listed: listed if found(listed, icon, posts_of(listed, user)[-1]) else None)
    posts = posts_of(listed, user)
    few = re.search(r"on (\d+) posts", goal)
    for post in posts[: int(few[1])] if few else posts:
        await click_surely(tab, control(listed, icon, post))
    await submit(tab)
