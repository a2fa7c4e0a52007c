"""That every test hears what a page complains of."""

import pytest

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("does", "heard"),
    [
        ("console.error('broken')", "error: broken"),
        ("console.warn('careful')", "warning: careful"),
        ("setTimeout(() => { throw new Error('thrown'); })", "thrown"),
        ("Promise.reject(new Error('refused'))", "refused"),
        ("setTimeout(() => alert('hello'))", "dialog: hello"),
        ("document.body.insertAdjacentHTML('beforeend', '<p style=\"color: red\">')", "Content Security Policy"),
        (
            "document.body.append(Object.assign(document.createElement('img'), {src: 'http://127.0.0.2:9/'}))",
            "127.0.0.2",
        ),
        (
            "document.body.append(Object.assign(document.createElement('script'), {text: '1'}))",
            "Content Security Policy",
        ),
        ("void fetch('/nowhere')", "404"),
    ],
)
def test_complaints_are_heard(lab, watches, does, heard):
    lab.evaluate(f"() => {{ {does}; }}")
    for _ in range(200):
        if any(heard in complaint for complaint in watches[0].complaints):
            break
        lab.wait_for_timeout(50)
    assert any(heard in complaint for complaint in watches[0].complaints), watches[0].complaints
    lab.goto("about:blank")
    watches[0].complaints.clear()


def test_faults_are_expected_only_where_they_are_met(lab, watches, expected):
    with expected(lab, 404):
        lab.evaluate("() => fetch('/nowhere')")
    assert watches[0].complaints == []
    with pytest.raises(AssertionError), expected(lab, 422):
        lab.evaluate("() => fetch('/')")
