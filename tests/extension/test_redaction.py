"""What is redacted in the browser before anything leaves it: by key, and where the form of a value proves it.

The module is the extension's own, run by the Node.js of the checks.
"""

import json
import re
import subprocess
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import pytest

pytestmark = pytest.mark.e2e

PROGRAM = Path(__file__).parents[1] / "support" / "redaction.mjs"


class Redaction:
    """One process that redacts what it is sent."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, value: Any, name: str = "", kind: str = "value", page: str = "") -> tuple[Any, dict[str, int]]:
        """Return the value as it is shown, and how often each kind was redacted."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps({"value": value, "name": name, "kind": kind, "page": page}) + "\n")
        self._process.stdin.flush()
        shown, redacted = json.loads(self._process.stdout.readline())
        return shown, redacted

    def __call__(self, value: Any, name: str = "") -> Any:
        """Return the value as it is shown."""
        return self.ask(value, name)[0]


@pytest.fixture(scope="module")
def redacted() -> Generator[Redaction]:
    with subprocess.Popen(
        ["node", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        yield Redaction(process)
        process.kill()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mail jane.doe+x@mail.example.co.uk now", "mail [email] now"),
        ("call +44 20 7946 0958 today", "call [phone] today"),
        ("call (555) 123-4567 today", "call [phone] today"),
        # The shortest: Niue.
        ("call +683 4002 today", "call [phone] today"),
        ("030 1234567", "[phone]"),
        ("card 4111 1111 1111 1111", "card [card]"),
        ("4111-1111-1111-1111", "[card]"),
        ("Authorization: Bearer abcdefgh.12345678", "Authorization: [token]"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "[token]"),
        ("key sk-proj-abcdefghijklmnop", "key [token]"),
        ("AKIAIOSFODNN7EXAMPLE", "[token]"),
        ("0123456789abcdef0123456789abcdef", "[token]"),
        *((f"a {prefix}_abcdefghijkl b", "a [token] b") for prefix in ("sk", "pk", "rk", "ghp", "gho", "ghs", "glpat")),
        *((f"a {prefix}-abcdefghijkl b", "a [token] b") for prefix in ("xoxa", "xoxb", "xoxp", "sk", "glpat")),
        *((f"a {prefix}ABCDEFGHIJKL b", "a [token] b") for prefix in ("AKIA", "ASIA", "AIza")),
        ("bearer abcdefgh.12345678", "[token]"),
        ("0301 234567", "[phone]"),
        ("030-123 4567", "[phone]"),
        ("030.123.4567", "[phone]"),
        ("\uff0b442079460958", "[phone]"),
        ("378282246310005", "[card]"),
        ("4222222222222", "[card]"),
        ("\uff0b\uff14\uff14\uff12\uff10\uff17\uff19\uff14\uff16\uff10\uff19\uff15\uff18", "[phone]"),
        ("ren\u00e9@ex\u00e4mple.de", "[email]"),
        ("a%40b.example", "[email]"),
        ("DE89370400440532013000", "[iban]"),
        ("to BE68 5390 0754 7034 AND then", "to [iban] AND then"),
        ("GB29 NWBK 6016 1331 9268 19", "[iban]"),
        ("123-45-6789", "[ssn]"),
        ("from 203.0.113.7:80", "from [ip]:80"),
        ("2001:db8::8a2e:370:7334", "[ip]"),
    ],
)
def test_a_secret_in_a_text_is_redacted(redacted: Redaction, text: str, expected: str) -> None:
    assert redacted(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "order 4111111111111112",  # no valid check digit
        "order 1234567890123452",  # no card number begins like this
        "2026-11-21 10:30:00",
        "GA1.2.1043279482.1699999999",
        "1699999999",
        "10.000,00 EUR",
        "T-12345 purchase of 3 items",
        "me@home",
        "https://shop.example/p/12345?x=1",
        "version 120.0.0.0",
        "network 203.0.113.0",
        "Mozilla/5.0 Chrome/120.1.2.3",
        "300.1.2.3",
        "std::vector",
        "DE89370400440532013001",  # no valid check digits
        "1700000000004",  # milliseconds whose last digit happens to be a valid check digit
        "order 000-12-3456",
        "+1 2 3",
        "bearer of good news",
        "sk_short",
        "AKIASHORT",
        "abcdefghijklmnopabcdefghijklmnopabcdef",
        "00000000000000000000000000000000",
        "0000000000000000",
    ],
)
def test_text_that_is_not_a_secret_stays(redacted: Redaction, text: str) -> None:
    assert redacted(text) == text


SECRET_NAMES = [
    "pass",
    "password",
    "userPasswd",
    "passphrase",
    "passcode",
    "pwd",
    "user_pwd",
    "secret",
    "client_secret",
    "token",
    "user_token",
    "csrfToken",
    "apiKey",
    "api-key",
    "api_key",
    "auth",
    "authorization",
    "authentication",
    "credential",
    "credentials",
    "sessionId",
    "session_id",
    "session-id",
    "sid",
    "cookie",
    "cookies",
    "csrf",
    "xsrf",
    "ssn",
    "iban",
    "cvv",
    "cvc",
    "cvc2",
    "cvv2",
    "cardNumber",
    "card_number",
    "card-no",
]
CONTACT_NAMES = ["email", "e-mail", "email_address", "phone", "phoneNumber", "mobile", "tel", "msisdn"]
NAMES = [*((name, "secret") for name in SECRET_NAMES), *((name, "contact") for name in CONTACT_NAMES)]


@pytest.mark.parametrize(("name", "kind"), NAMES)
def test_a_value_under_a_private_name_is_always_redacted(redacted: Redaction, name: str, kind: str) -> None:
    assert redacted({name: "x"}) == {name: f"[{kind}]"}
    assert redacted({name.upper(): 7}) == {name.upper(): f"[{kind}]"}
    assert redacted({name: {"deep": ["x"]}}) == {name: {"deep": [f"[{kind}]"]}}
    assert redacted({name: None, "event": "login"}) == {name: None, "event": "login"}


@pytest.mark.parametrize(
    "name",
    [
        *("passenger", "tokyo", "keyword", "author", "authority", "telegraph", "hotel", "discard", "side", "insider"),
        *("passage", "compassion", "cardNote", "assn", "ibanez", "cvcs", "api", "session"),
    ],
)
def test_a_value_under_an_ordinary_name_stays(redacted: Redaction, name: str) -> None:
    assert redacted({name: "x"}) == {name: "x"}


def test_keys_and_numbers_are_redacted_too(redacted: Redaction) -> None:
    assert redacted({"a@b.example": 4111111111111111}) == {"[email]": "[card]"}
    assert redacted([1, 2.5, True, None, 1234567890123]) == [1, 2.5, True, None, 1234567890123]


@pytest.mark.parametrize("text", ["+44 20 7946 0958 ", "030 1234567 ", "4111 1111 1111 1111 ", "a@b.example "])
def test_half_a_megabyte_that_looks_private_is_redacted_completely(redacted: Redaction, text: str) -> None:
    kind = redacted(text).strip()
    much = redacted([text * 500 for _ in range(500_000 // len(text) // 500)])

    assert kind in {"[phone]", "[card]", "[email]"}
    assert set("".join(much).split()) == {kind}


def test_numbers_beyond_the_limit_of_checks_are_redacted_unchecked(redacted: Redaction) -> None:
    invalid = [f"+11 2 3 {number}" for number in range(10_000, 13_000)]
    assert redacted(invalid[-1]) == invalid[-1]

    shown = redacted(invalid)

    assert (shown[0], shown[-1]) == (invalid[0], "[phone]")


def test_redacted_values_are_counted_by_kind(redacted: Redaction) -> None:
    _, counts = redacted.ask(["a@b.example", "c@d.example", {"token": "x"}])

    assert counts == {"email": 2, "secret": 1}


# --- More names

MORE_NAMES = {
    "id": "user_id userId USERID uid customerId customer_number client_id memberNo visitorId loginId profileID device_id "
    "accountId external_id _ga _fbp user login",
    "name": "firstName first_name FIRSTNAME lastname fullName surname middle_name user_name userName customerName "
    "shippingFirstName cardholder_name contact-name nickname",
    "address": "address shippingAddress billing_address address1 address_line_2 street streetName house_number zip zipCode "
    "postal_code postcode city town user.city",
    "location": "lat latitude lng longitude geo geoLocation geo_point coordinates userLocation",
    "ip": "ip ipAddress ip_address clientIp user_ip remoteAddr ipv6",
    "birth": "birthday birthDate birth_year dateOfBirth dob user_dob",
    "secret": "socialSecurityNumber national_id taxId passport passportNumber driversLicense bankAccount account_number "
    "routing_number user_iban",
}
PRIVATE = [(name, kind) for kind, names in MORE_NAMES.items() for name in names.split()]


@pytest.mark.parametrize(("name", "kind"), PRIVATE)
def test_a_persons_value_is_redacted_by_its_name(redacted: Redaction, name: str, kind: str) -> None:
    assert redacted({name: "x"}) == {name: f"[{kind}]"}
    assert redacted({name: True, "event": ""}) == {name: True, "event": ""}


def test_a_postal_address_is_redacted_completely_and_a_user_object_by_its_fields(redacted: Redaction) -> None:
    assert redacted({"address": {"lines": ["1 High St", "Flat 2"], "country": "GB"}}) == {
        "address": {"lines": ["[address]", "[address]"], "country": "[address]"}
    }
    assert redacted({"user": {"id": 7, "name": "Ada", "type": "new"}, "items": [{"id": 7, "name": "iPhone"}]}) == {
        "user": {"id": "[id]", "name": "[name]", "type": "new"},
        "items": [{"id": 7, "name": "iPhone"}],
    }
    assert redacted({"billing": {"name": "Ada", "id": "b1"}}) == {"billing": {"name": "[name]", "id": "b1"}}
    assert redacted({"user": [{"profile": [{"profileInfo": {"profileID": "x"}}]}]}) == {
        "user": [{"profile": [{"profileInfo": {"profileID": "[id]"}}]}]
    }


def test_names_are_recognized_in_commands_and_pairs(redacted: Redaction) -> None:
    assert redacted(["set", "user_id", 7]) == ["set", "user_id", "[id]"]
    assert redacted(["setUserId", "ada"]) == ["setUserId", "[id]"]
    assert redacted([["email", "x"], ["color", "red"]]) == [["email", "[contact]"], ["color", "red"]]
    assert redacted(["phone", "tablet"]) == ["phone", "tablet"]


def test_short_keys_are_private_only_together_with_other_short_keys(redacted: Redaction) -> None:
    pixel = {"em": "x", "ct": "ithaca", "constructor": "a", "toString": "b"}
    assert redacted(pixel) == {"em": "[contact]", "ct": "[address]", "constructor": "a", "toString": "b"}
    assert redacted({"em": "x", "page": "y"}) == {"em": "x", "page": "y"}
    assert redacted({"ct": "x", "st": "y"}) == {"ct": "x", "st": "y"}


# --- Web addresses


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (
            "https://shop.example/p?utm_source=mail&email=x&page=2",
            "https://shop.example/p?utm_source=mail&email=[contact]&page=2",
        ),
        ("https://ada:pw@shop.example/", "https://[secret]@shop.example/"),
        ("http://192.0.2.7:8080/x/192.0.2.8", "http://192.0.2.7:8080/x/[ip]"),
        ("https://shop.example/u/ada%40b.example/x?q=a%20b", "https://shop.example/u/[email]/x?q=a%20b"),
        ("https://shop.example/reset//Zk3x9QpLm2Vt8", "https://shop.example/reset//[secret]"),
        ("https://hooks.example/v1/Zk3x9QpLm2Vt8/T0b3dF9GkLq1", "https://hooks.example/v1/[secret]/[secret]"),
        ("/cb?code=abc&state=1#access_token=xyz", "/cb?code=[secret]&state=1#access_token=[secret]"),
        (
            "https://a.example/c?dl=https%3A%2F%2Fb.example%2F%3Femail%3Dx",
            "https://a.example/c?dl=https://b.example/?email%3D[contact]",
        ),
        ("https://a.example/?tel=&q=030+1234567", "https://a.example/?tel=&q=[phone]"),
        (
            "https://a.example/?item_id=4111111111111111&n=4111111111111111",
            "https://a.example/?item_id=4111111111111111&n=[card]",
        ),
        ("https://a.example/%E0%A4%A?q=%", "https://a.example/%E0%A4%A?q=%"),
    ],
)
def test_parameters_of_an_address_are_redacted_by_name_and_form(redacted: Redaction, url: str, expected: str) -> None:
    assert redacted(url) == expected
    assert redacted.ask(url, kind="address")[0] == expected


# --- Texts made to be slow


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "a",
            "a@",
            "a@b",
            "a" * 63 + "@",
            "eyJ-",
            "eyJaaaaa.",
            "Bearer ",
            "1",
            "1 ",
            "(1",
            "+1 1 1 1 ",
            "sk-",
            "a1_",
            ":",
        ),
        *(
            "a:",
            "1.",
            "1.1.1.1 ",
            "AA11 AAAA AAAA ",
            "/a",
            "?a=",
            "&a=b",
            "%40",
            "%",
            "address1",
            "geo_",
            "aB",
            "\u00e9",
        ),
    ],
)
def test_a_long_text_of_anything_is_read_completely(redacted: Redaction, unit: str) -> None:
    much = (unit * 100_000)[:100_000]

    shown, _ = redacted.ask({"text": "?" + much, much: much})

    # Whatever was redacted in it: reading each character more than a few times would take forever.
    assert len(shown) == 2


@pytest.mark.parametrize("word", ["username", "customeraddress", "a", "aB", "Id", "\u4e2d", "ID_", "nameofthe"])
def test_thousands_of_long_keys_are_read_completely(redacted: Redaction, word: str) -> None:
    keys = {f"{(word * 200)[:200]}{number}x": "1" for number in range(3_000)}

    assert redacted(keys)


# --- Examples of Google's documentation of e-commerce and Tag Manager


class Own(NamedTuple):
    """A value that belongs to somebody."""

    value: Any


ITEM = {
    "item_id": "SKU_12345",
    "item_name": "Stan and Friends Tee",
    "affiliation": "Google Merchandise Store",
    "coupon": "SUMMER_FUN",
    "currency": "USD",
    "discount": 2.22,
    "index": 0,
    "item_brand": "Google",
    "item_category": "Apparel",
    "item_category2": "Adult",
    "item_category3": "Shirts",
    "item_category4": "Crew",
    "item_category5": "Short sleeve",
    "item_list_id": "related_products",
    "item_list_name": "Related Products",
    "item_variant": "green",
    "location_id": "ChIJIQBpAG2ahYAR_6128GcTUEo",
    "price": 10.01,
    "quantity": 3,
    "google_business_vertical": "retail",
    "gtin": "4006381333931",
}
PROMOTION = {
    "creative_name": "Summer Banner",
    "creative_slot": "featured_app_1",
    "promotion_id": "P_12345",
    "promotion_name": "Summer Sale",
}
CART = {"currency": "USD", "value": 30.03, "items": [ITEM]}
ORDER = {"transaction_id": "T_12345_1", "tax": 4.9, "shipping": 5.99, "coupon": "SUMMER_SALE", "customer_type": "new"}
UNIVERSAL_PRODUCT = {
    "name": "Triblend Android T-Shirt",
    "id": "12345",
    "price": "15.25",
    "brand": "Google",
    "category": "Apparel",
    "variant": "Gray",
    "quantity": 1,
    "position": 1,
    "list": "Search Results",
    "dimension1": "M",
    "metric1": 5,
}
CAMPAIGN = {
    "campaign_id": "google_1234",
    "campaign": "Summer_fun",
    "source": "google",
    "medium": "cpc",
    "term": "summer+travel",
    "content": "logo link",
}
USER_DATA = {
    "email": Own("yourEmail@email.com"),
    "phone_number": Own("+1234567890"),
    "sha256_email_address": [Own("e4d9a1b6f0c7")],
    "sha256_phone_number": Own("b6f0c7e4d9a1"),
    "address": {
        "first_name": Own("john"),
        "last_name": Own("doe"),
        "sha256_first_name": Own("aa11"),
        "sha256_last_name": Own("bb22"),
        "street": Own("123 Lemon"),
        "city": Own("Some city"),
        "region": Own("CA"),
        "country": Own("US"),
        "postal_code": Own("12345"),
    },
}
DOCUMENTED: list[Any] = [
    {"event": "view_item", "ecommerce": CART},
    {"event": "view_item_list", "ecommerce": {"item_list_id": "r", "item_list_name": "Related", "items": [ITEM]}},
    {"event": "select_item", "ecommerce": {"item_list_id": "r", "item_list_name": "Related", "items": [ITEM]}},
    {"event": "add_to_cart", "ecommerce": CART},
    {"event": "remove_from_cart", "ecommerce": CART},
    {"event": "view_cart", "ecommerce": CART},
    {"event": "add_to_wishlist", "ecommerce": CART},
    {"event": "begin_checkout", "ecommerce": CART | {"coupon": "SUMMER_FUN"}},
    {"event": "add_shipping_info", "ecommerce": CART | {"shipping_tier": "Ground"}},
    {"event": "add_payment_info", "ecommerce": CART | {"payment_type": "Credit Card"}},
    {"event": "purchase", "ecommerce": CART | ORDER},
    {"event": "refund", "ecommerce": CART | ORDER},
    {"event": "view_promotion", "ecommerce": PROMOTION | {"items": [ITEM | PROMOTION]}},
    {"event": "select_promotion", "ecommerce": PROMOTION | {"items": [ITEM | PROMOTION]}},
    {"event": "purchase", "ecommerce": CART | ORDER, "user_data": USER_DATA, "user_id": Own("USER_ID_1")},
    ["event", "purchase", CART | ORDER],
    ["event", "search", {"search_term": "Clothing"}],
    ["event", "login", {"method": "Google"}],
    ["event", "share", {"method": "Twitter", "content_type": "image", "item_id": "C_12345"}],
    ["event", "generate_lead", {"currency": "USD", "value": 30.03, "lead_source": "Trade show"}],
    ["event", "join_group", {"group_id": "G_12345"}],
    ["event", "level_up", {"level": 5, "character": "Player 1"}],
    ["event", "unlock_achievement", {"achievement_id": "A_12345"}],
    ["event", "earn_virtual_currency", {"virtual_currency_name": "Gems", "value": 5}],
    ["event", "screen_view", {"app_name": "myAppName", "screen_name": "Home"}],
    ["event", "campaign_details", CAMPAIGN],
    ["event", "exception", {"description": "error_description", "fatal": False}],
    [
        "event",
        "page_view",
        {"page_title": "Home", "page_location": "https://shop.example/?utm_source=x&gclid=TeSter-123"},
    ],
    ["event", "scroll", {"percent_scrolled": 90}],
    [
        "event",
        "click",
        {"link_url": "https://a.example/x", "link_id": "more", "link_domain": "a.example", "outbound": True},
    ],
    ["event", "file_download", {"file_name": "a.pdf", "file_extension": "pdf", "link_text": "Get it"}],
    ["event", "video_start", {"video_title": "Intro", "video_provider": "youtube", "video_percent": 10}],
    ["consent", "default", {"ad_storage": "denied", "ad_user_data": "denied", "ad_personalization": "denied"}],
    ["consent", "update", {"analytics_storage": "granted", "wait_for_update": 500, "region": ["US-CA"]}],
    ["js", "2026-11-21T10:30:00.000Z"],
    ["config", "G-ABC1234567", {"send_page_view": False, "groups": "default", "user_id": Own("USER_ID_2")}],
    ["config", "AW-123456789", {"allow_enhanced_conversions": True}],
    ["set", "user_data", USER_DATA],
    ["set", "user_properties", {"favorite_food": "apples", "plan_tier": "gold"}],
    ["set", {"campaign": CAMPAIGN, "country": "US", "currency": "USD", "user_id": Own(12345)}],
    {"event": "gtm.js", "gtm.start": 1700000000004, "gtm.uniqueEventId": 1},
    {"event": "gtm.dom", "gtm.uniqueEventId": 2},
    {
        "event": "gtm.linkClick",
        "gtm.elementUrl": "https://a.example/",
        "gtm.elementId": "buy",
        "gtm.elementClasses": "b c",
    },
    {"event": "gtm.formSubmit", "gtm.elementTarget": "_self", "gtm.elementText": "Send", "gtm.triggers": "1_2"},
    {"event": "gtm.video", "gtm.videoTitle": "Intro", "gtm.videoDuration": 30, "gtm.videoStatus": "start"},
    {"event": "gtm.scrollDepth", "gtm.scrollThreshold": 25, "gtm.scrollUnits": "percent"},
    {"event": "gtm.historyChange", "gtm.historyChangeSource": "pushState", "gtm.newUrl": "https://a.example/p"},
    {
        "pageType": "product",
        "pageCategory": "tees",
        "visitorType": "low-value",
        "language": "en",
        "siteSection": "shop",
    },
    {"ecommerce": {"currencyCode": "EUR", "impressions": [UNIVERSAL_PRODUCT]}},
    {
        "event": "productClick",
        "ecommerce": {"click": {"actionField": {"list": "Home"}, "products": [UNIVERSAL_PRODUCT]}},
    },
    {
        "ecommerce": {
            "purchase": {
                "actionField": {"id": "T12345", "affiliation": "Online Store", "revenue": "35.43", "tax": "4.90"},
                "products": [UNIVERSAL_PRODUCT],
            }
        }
    },
    {
        "ecommerce": {
            "promoView": {"promotions": [{"id": "J1", "name": "June", "creative": "banner1", "position": "s1"}]}
        }
    },
    {"transactionId": "1234", "transactionTotal": 38.26, "transactionProducts": [{"sku": "DD44", "name": "T-Shirt"}]},
    {"event": "login", "userId": Own("u1"), "user": {"id": Own(1), "email": Own("x"), "segment": "new"}},
    {"customer": {"firstName": Own("Ada"), "lastName": Own("L"), "city": Own("Turin"), "orders": 3, "currency": "EUR"}},
    {"visitor": {"ip": Own("203.0.113.7"), "geo": {"lat": Own(1.5), "lng": Own(2.5)}, "birthDate": Own("1990-01-01")}},
    {"payment": {"iban": Own("DE89370400440532013000"), "card_number": Own("4111111111111111"), "type": "card"}},
]


def reported(value: Any) -> Any:
    """The same without the markers, as a page has it."""
    match value:
        case Own():
            return value.value
        case dict():
            return {key: reported(item) for key, item in value.items()}
        case list():
            return [reported(item) for item in value]
        case _:
            return value


def compared(value: Any, shown: Any) -> Generator[tuple[bool, Any, Any]]:
    """Yield each leaf: whether it belongs to somebody, its value, and how it is shown."""
    match value:
        case Own():
            yield True, value.value, shown
        case dict():
            assert value.keys() == shown.keys()
            for key, item in value.items():
                yield from compared(item, shown[key])
        case list():
            for item, its_shown in zip(value, shown, strict=True):
                yield from compared(item, its_shown)
        case _:
            yield False, value, shown


def test_documented_events_stay_readable_except_for_private_values(redacted: Redaction) -> None:
    shown, counts = redacted.ask(reported(DOCUMENTED))

    leaves = list(compared(DOCUMENTED, shown))
    public = [(value, its_shown) for is_own, value, its_shown in leaves if not is_own]
    own = [its_shown for is_own, _, its_shown in leaves if is_own]
    assert (len(public), len(own)) == (604, 41)
    assert [each for each in public if each[0] != each[1]] == []
    assert [each for each in own if each not in {f"[{kind}]" for kind in counts}] == []
    assert sum(counts.values()) == len(own)


# --- Realistic events, addresses and bodies, in which private values are marked by ⟦ ⟧

DATA = Path(__file__).parents[1] / "data" / "redaction"
MARKED = re.compile("⟦(.*?)⟧", re.DOTALL)
METHODS = {"event": "value", "harmless": "value", "address": "address", "body": "source"}


def unmarked(value: Any) -> Any:
    match value:
        case dict():
            return {key: unmarked(item) for key, item in value.items()}
        case list():
            return [unmarked(item) for item in value]
        case str():
            return MARKED.sub(r"\1", value)
        case _:
            return value


def leaves(value: Any, shown: Any) -> Generator[tuple[Any, Any]]:
    match value:
        case dict():
            for item, its_shown in zip(value.values(), shown.values(), strict=True):
                yield from leaves(item, its_shown)
        case list():
            for item, its_shown in zip(value, shown, strict=True):
                yield from leaves(item, its_shown)
        case _:
            yield value, shown


class Score:
    """Private values that were left, and others that were redacted, by kind of entry."""

    def __init__(self, redacted: Redaction, files: list[str]) -> None:
        self.private, self.harmless, self.entries = Counter[str](), Counter[str](), Counter[str]()
        self.left: list[tuple[str, Any, Any]] = []
        self.touched: list[tuple[str, Any, Any]] = []
        lines = [line for name in files for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()]
        for entry in map(json.loads, lines):
            (kind,) = entry.keys() & METHODS.keys()
            self.entries[kind] += 1
            shown, _ = redacted.ask(unmarked(entry[kind]), kind=METHODS[kind], page=entry.get("page", ""))
            for leaf, its_shown in leaves(entry[kind], shown):
                self._compare(kind, leaf, its_shown)

    def _compare(self, kind: str, leaf: Any, shown: Any) -> None:
        own = MARKED.findall(leaf) if isinstance(leaf, str) else []
        self.private[kind] += len(own)
        self.left += [(kind, leaf, shown) for each in own if each in str(shown)]
        if kind == "body":
            return  # Written differently once something in them is redacted.
        others = [unquote(each) for each in MARKED.split(leaf)[::2] if len(each) > 1] if own else [leaf]
        self.harmless[kind] += len(others)
        whole = unquote(shown) if own else shown
        self.touched += [(kind, leaf, shown) for each in others if (each not in whole if own else each != whole)]

    def found(self, *kinds: str) -> float:
        return 1 - sum(kind in kinds for kind, *_ in self.left) / sum(self.private[kind] for kind in kinds)


@pytest.mark.parametrize("files", [["tuned"], ["held_out"], ["third_party"]])
def test_at_least_95_percent_of_private_values_and_at_most_3_of_others_are_redacted(
    redacted: Redaction, files: list[str]
) -> None:
    score = Score(redacted, files)

    for kind in +score.private:
        assert score.found(kind) >= 0.95, [each for each in score.left if each[0] == kind]
    assert len(score.touched) <= 0.03 * score.harmless.total(), score.touched


def test_the_lists_are_long_enough(redacted: Redaction) -> None:
    score = Score(redacted, ["tuned", "held_out"])

    assert score.entries["event"] >= 104
    assert score.private["event"] >= 338
    assert score.private["address"] >= 40
    assert score.entries["body"] >= 30
    assert score.harmless["harmless"] >= 110
    assert score.touched == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=1&pin=4711", "a=1&pin=[secret]"),
        ('{"a": "{\\"otp\\": \\"1\\"}"}', '{"a":"{\\"otp\\":\\"[secret]\\"}"}'),
        ('{"n": 12345678901234567890, "a": "{}"}', '{"n": 12345678901234567890, "a": "{}"}'),
        ("a\n-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----\nb", "a\n[secret]\nb"),
        ("-----BEGIN PRIVATE KEY-----\nMII", "[secret]"),
        ("-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----", None),
        ("the password is required: yes", None),
        ("a = 1 & b = 2", None),
    ],
)
def test_bodies_are_parsed_by_their_format(redacted: Redaction, text: str, expected: str | None) -> None:
    assert redacted.ask(text, kind="source")[0] == (text if expected is None else expected)


@pytest.mark.parametrize(
    ("page", "layer", "expected"),
    [
        ("https://shop.example.es/", {"q": "612345678"}, {"q": "[phone]"}),
        ("https://shop.example/", {"q": "612345678"}, {"q": "612345678"}),
        ("https://shop.example/", {"q": "612345678", "locale": "es-ES"}, {"q": "[phone]", "locale": "es-ES"}),
        ("https://shop.example/", {"q": "13812345678", "currency": "CNY"}, {"q": "[phone]", "currency": "CNY"}),
        ("https://shop.example.es/", {"order_number": "612345678"}, {"order_number": "612345678"}),
    ],
)
def test_a_phone_number_without_a_country_code_is_recognized_by_the_pages_countries(
    redacted: Redaction, page: str, layer: Any, expected: Any
) -> None:
    assert redacted.ask(layer, page=page)[0] == expected


@pytest.mark.parametrize(
    ("valid", "invalid", "kind"),
    [
        ("11010519491231002X", "110105194912310021", "id"),
        ("12345678Z", "12345678A", "id"),
        ("529.982.247-25", "529.982.247-26", "id"),
    ],
)
def test_a_national_id_is_proved_by_its_check_digit(redacted: Redaction, valid: str, invalid: str, kind: str) -> None:
    assert redacted({"n": [valid, invalid]}) == {"n": [f"[{kind}]", invalid]}
